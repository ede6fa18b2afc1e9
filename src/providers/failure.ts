// Every way a model server can fail → one sentence, one type of error, and what to do about it. It decides by codes
// and status numbers, never by the text of a message.

import { systemCode } from "../errors.ts";
import { shorten } from "../layout.ts";
import { formatDuration } from "../limits.ts";
import { type FailureDetails, ProviderError } from "../provider.ts";
import type { Connection, Server } from "./connection.ts";

/** A server, and the model when one was asked. */
export type Asked = Server & Partial<Pick<Connection, "model">>;

const LONGEST_DETAIL = 300;

/** The beginning of what a server said, on one line and without markup. */
export function brief(text: string): string {
  const line = text
    .replace(/<(style|script)\b[\s\S]*?<\/\1>/gi, " ")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  return shorten(line, LONGEST_DETAIL);
}

const ADDRESS_HINT = "check the address: ash adds /v1/messages itself";

/** The error for an answer that is not what the Messages API says. */
export function protocolError(server: Asked, what: string, details: FailureDetails = {}): ProviderError {
  return new ProviderError("protocol", `${server.baseUrl} does not speak the Messages API: ${what}`, {
    hint: ADDRESS_HINT,
    ...details,
  });
}

/** The error for a server that was silent for too long. */
export function silenceError({ baseUrl, idleMs }: Asked, started: boolean): ProviderError {
  const when = started ? "in the middle of the reply" : "before the reply began";
  const message = `${baseUrl} sent nothing for ${formatDuration(idleMs)} ${when}`;
  return new ProviderError("timeout", message, {
    started,
    hint: "a slow server needs a longer ASH_IDLE_TIMEOUT",
  });
}

const UNKNOWN_ISSUER = [
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
];

type Sentence = {
  readonly type: ProviderError["type"];
  readonly message: string;
  readonly hint?: string;
};

function certificateSentence(host: string, code: string): Sentence | null {
  if (UNKNOWN_ISSUER.includes(code)) {
    return {
      type: "config",
      message: `the certificate of ${host} comes from an issuer this machine does not know (${code})`,
      hint: "for a company's own CA: NODE_EXTRA_CA_CERTS=/path/to/ca.pem",
    };
  }
  if (code === "CERT_HAS_EXPIRED")
    return {
      type: "config",
      message: `the certificate of ${host} has expired`,
      hint: "or the clock is wrong",
    };
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return {
      type: "config",
      message: `the certificate of ${host} is for another name`,
      hint: "write the address with the name the certificate has",
    };
  if (code.startsWith("CERT_"))
    return { type: "config", message: `the certificate of ${host} is not valid (${code})` };
  return null;
}

function connectionSentence(server: Asked, code: string, started: boolean): Sentence {
  const { baseUrl, proxy, preset } = server;
  const reached = proxy === null ? baseUrl : `the proxy ${proxy.shown} (${proxy.variable})`;
  switch (code) {
    case "EPROTO":
      return {
        type: "protocol",
        message: `${baseUrl} does not speak TLS`,
        hint: "an address without TLS starts with http://",
      };
    case "Malformed_HTTP_Response":
    case "InvalidHTTPResponse":
      return { type: "protocol", message: `${baseUrl} does not speak HTTP`, hint: ADDRESS_HINT };
    case "BROKEN_ENCODING":
      return { type: "network", message: `${baseUrl} sent compressed data that cannot be read` };
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return { type: "network", message: `${reached} cannot be reached: the name is not known (${code})` };
    case "ERR_PROXY_TUNNEL":
      return { type: "network", message: `${reached} refuses to connect to ${baseUrl}` };
    case "ECONNRESET":
      return started
        ? { type: "network", message: `${baseUrl} broke the connection in the middle of the reply` }
        : { type: "network", message: `${baseUrl} closed the connection before it answered` };
    case "ECONNREFUSED": {
      const hint = proxy !== null || preset.keyRequired ? {} : { hint: `is ${preset.name} running?` };
      return { type: "network", message: `${reached} cannot be reached (${code})`, ...hint };
    }
    default:
      return { type: "network", message: `the connection to ${reached} failed (${code})` };
  }
}

/** What the network threw → the error of the request. */
export function networkError(thrown: unknown, server: Asked, started: boolean): ProviderError {
  const code = systemCode(thrown) ?? (thrown instanceof Error ? thrown.name : "no connection");
  const { type, message, hint } =
    certificateSentence(new URL(server.baseUrl).host, code) ?? connectionSentence(server, code, started);
  return new ProviderError(type, message, {
    started,
    cause: thrown,
    ...(hint === undefined ? {} : { hint }),
  });
}

/** A failed answer, as far as it was understood. */
export type FailedAnswer = {
  readonly status: number;
  readonly headers: Headers | undefined;
  /** True when its body is an error in one of the forms model servers use. */
  readonly understood: boolean;
  readonly said: string;
  readonly requestId: string | null;
};

function typeOfStatus(status: number): ProviderError["type"] {
  if (status < 400 || status === 405 || status === 501 || status === 505) return "protocol";
  if (status === 401 || status === 402 || status === 403 || status === 407) return "auth";
  if (status === 404) return "not_found";
  if (status === 413) return "too_large";
  if (status === 429) return "rate_limit";
  if (status === 408) return "timeout";
  if (status === 529) return "overloaded";
  return status >= 500 || status === 409 || status === 425 ? "server_error" : "invalid_request";
}

/** Seconds a server asks to wait, by `retry-after-ms` or `retry-after` in seconds or as a date. */
export function retryAfterSeconds(headers: Headers | undefined, now: number): number | undefined {
  const exact = headers?.get("retry-after-ms")?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(exact)) return Number(exact) / 1000;
  const text = headers?.get("retry-after")?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  const date = /^[A-Z][a-z]{2}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000));
}

function hintFor(type: ProviderError["type"], status: number, server: Asked): string | undefined {
  const { preset, baseUrl, model } = server;
  if (status === 402) return "the account has no credit left";
  if (type === "auth") return `check the key for ${baseUrl}: ${preset.keyEnv.join(" or ")}`;
  if (type === "not_found")
    return `check the address (${baseUrl})${model === undefined ? "" : ` and the model (${model})`}; ash models lists what there is`;
  return type === "too_large" ? "ask with less text" : undefined;
}

function redirectTarget(headers: Headers | undefined, baseUrl: string): string {
  const location = headers?.get("location") ?? "";
  return URL.canParse(location, baseUrl) ? new URL(location, baseUrl).host : "another address";
}

/** A failed answer → the error of the request. `now` is milliseconds since the epoch. */
export function statusError(answer: FailedAnswer, server: Asked, now: number): ProviderError {
  const { status, headers, understood, said, requestId } = answer;
  const retryAfterS = retryAfterSeconds(headers, now);
  const details: FailureDetails = {
    httpStatus: status,
    hopeless: headers?.get("x-should-retry") === "false",
    ...(retryAfterS === undefined ? {} : { retryAfterS }),
    ...(requestId === null ? {} : { requestId }),
  };
  if (status < 400) {
    const message = `${server.baseUrl} redirects to ${redirectTarget(headers, server.baseUrl)}, which ash does not follow (${status})`;
    return new ProviderError("protocol", message, {
      ...details,
      hint: "give the address that answers itself",
    });
  }
  if (status === 407 && server.proxy !== null) {
    const { shown, variable } = server.proxy;
    return new ProviderError("auth", `the proxy ${shown} wants a user name and a password`, {
      ...details,
      hint: `write them into ${variable}: http://name:password@host:port`,
    });
  }
  const type = status === 404 && !understood ? "protocol" : typeOfStatus(status);
  const text = brief(said) || "without a word";
  if (type === "protocol") return protocolError(server, `${status} ${text}`, details);
  const hint = hintFor(type, status, server);
  const extra = hint === undefined ? {} : { hint };
  return new ProviderError(type, `${server.baseUrl} answered ${status}: ${text}`, { ...details, ...extra });
}
