// `ash doctor` about the model: whom ash would ask and how it gets there. Only `online` sends anything, and no key is
// ever shown.
import { type Config, userVariable } from "../config.ts";
import { AshError } from "../errors.ts";
import { isReadable } from "../host/files.ts";
import { describeConnection } from "../providers/describe.ts";
import { probeModel } from "../providers/probe.ts";
import { chooseConnection } from "../providers/select.ts";
import type { Check } from "../schema/reports.ts";
import { fail, failure, ok, warn } from "./check.ts";

function modelChecks(config: Config): readonly Check[] {
  const { provider, baseUrl, model, keyOrigin, keyRequired, problem } = describeConnection(config);
  const facts = { provider, base_url: baseUrl, model };
  const text = `${model ?? "no model"} at ${baseUrl ?? "?"} (${provider})`;
  const key =
    keyOrigin !== null
      ? ok("key", `set, from ${keyOrigin}`, { origin: keyOrigin })
      : keyRequired
        ? fail("key", "not set", problem?.details.hint ?? null, { origin: null })
        : ok("key", "not set; this server needs none", { origin: null });
  if (problem === null) return [ok("model", text, facts), key];
  if (problem.type === "auth") return [ok("model", text, facts), key];
  return [{ ...failure("model", problem), facts }, ...(keyRequired && keyOrigin === null ? [] : [key])];
}

const PROXIES = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY"];

function proxyCheck({ surroundings }: Config): Check {
  const set = PROXIES.flatMap((name) => [name, name.toLowerCase()]).flatMap((name) => {
    const value = surroundings.packageSettings[name];
    return value === undefined ? [] : [{ name, value }];
  });
  if (set.length === 0) return ok("proxy", "none set", { variables: [] });
  const wrong = set.find(
    ({ name, value }) => !/^no_proxy$/i.test(name) && !/^(?:https?|socks5h?):\/\/\S+$/.test(value),
  );
  const facts = { variables: set };
  if (wrong !== undefined)
    return fail("proxy", `${wrong.name} is no address`, `write ${wrong.name}=http://host:port`, facts);
  return ok("proxy", set.map(({ name, value }) => `${name}=${value}`).join(", "), facts);
}

const CERTIFICATES = ["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"];

function certificatesCheck(): Check {
  const set = CERTIFICATES.flatMap((name) => {
    const path = userVariable(name);
    return path === undefined ? [] : [{ name, path, readable: isReadable(path) }];
  });
  const facts = { variables: set };
  const isOff = userVariable("NODE_TLS_REJECT_UNAUTHORIZED") === "0";
  if (isOff)
    return warn(
      "certificates",
      "NODE_TLS_REJECT_UNAUTHORIZED=0: nobody checks whom ash talks to",
      "unset it, and name your certificates in SSL_CERT_FILE",
      facts,
    );
  const lost = set.find(({ readable }) => !readable);
  if (lost !== undefined)
    return fail("certificates", `${lost.name}: ${lost.path} cannot be read`, "correct or unset it", facts);
  if (set.length === 0) return ok("certificates", "the built-in ones", facts);
  return ok("certificates", set.map(({ name, path }) => `${name}=${path}`).join(", "), facts);
}

/** Asks the model for one tool call. */
async function onlineCheck(config: Config, signal: AbortSignal): Promise<Check> {
  try {
    const found = await probeModel(chooseConnection(config), signal);
    if (!found.ok) throw found.error;
    const { model, ms, streams, tools, calledTool } = found;
    const facts = { model, duration_ms: ms, streams, tools, called_tool: calledTool };
    const message = `${model} answered in ${ms} ms`;
    if (!tools)
      return fail(
        "online",
        `${message}, but the server refuses requests with tools`,
        "start it with tools switched on, or choose a model that can call them",
        facts,
      );
    if (calledTool) return ok("online", `${message} and called a tool`, facts);
    return warn(
      "online",
      `${message}, but called no tool when told to`,
      "choose a model that can call tools",
      facts,
    );
  } catch (thrown) {
    if (!(thrown instanceof AshError)) throw thrown;
    const { httpStatus, requestId } = thrown.details;
    const facts = { error: thrown.type, http_status: httpStatus ?? null, request_id: requestId ?? null };
    return { ...failure("online", thrown), facts };
  }
}

/** Everything about the model. */
export async function connectionChecks(
  config: Config,
  online: boolean,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  const checks = [...modelChecks(config), proxyCheck(config), certificatesCheck()];
  return online ? [...checks, await onlineCheck(config, signal)] : checks;
}
