// `ash models`: what the server says it has.
import { flagValue, type Invocation, type OutputMode, operands } from "../argv.ts";
import type { Config } from "../config.ts";
import { type AshError, EXIT, toAshError, usageError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { openLog } from "../log.ts";
import { ProviderError } from "../provider.ts";
import type { Server } from "../providers/connection.ts";
import type { ListedModel } from "../providers/models.ts";
import { askedModel, chooseServer } from "../providers/select.ts";
import { createRedactor, type Redactor, redactAll } from "../redact.ts";
import { describeError, stopError } from "../result.ts";
import { sanitize } from "../sanitize.ts";
import type { ModelsReport } from "../schema/reports.ts";

type Found = {
  readonly server: Server | null;
  readonly models: readonly ListedModel[];
  readonly error: AshError | null;
};

const statusOf = (error: AshError | null): ModelsReport["status"] => {
  if (error === null) return "ok";
  return error.exitCode >= EXIT.interrupted ? "interrupted" : "error";
};

const clean = (text: string): string => sanitize(text).text.replace(/\s+/g, " ");

function table(models: readonly ListedModel[]): string {
  if (models.length === 0) return "the server lists no models\n";
  const width = Math.max(...models.map(({ id }) => clean(id).length));
  const line = ({ id, context_tokens, display_name }: ListedModel): string => {
    const context = context_tokens === null ? "" : `${context_tokens} tokens`;
    return `${clean(id).padEnd(width)}  ${context.padEnd(15)}  ${clean(display_name ?? "")}`.trimEnd();
  };
  return `${models.map(line).join("\n")}\n`;
}

type Shown = { readonly mode: OutputMode; readonly redact: Redactor };

async function show({ server, models, error }: Found, host: Host, { mode, redact }: Shown): Promise<number> {
  const report: ModelsReport = {
    schema: "ash.models/1",
    status: statusOf(error),
    exit_code: error?.exitCode ?? EXIT.ok,
    provider: server?.preset.name ?? null,
    base_url: server?.baseUrl ?? null,
    models: [...models],
    error: error === null ? null : describeError(error),
    duration_ms: Math.round(host.elapsed()),
  };
  const told = redactAll(redact, report);
  host.stop.surrender();
  if (told.error !== null && error?.type !== "broken_pipe") {
    const { message, hint } = told.error;
    openLog(host.stderr).error(hint === null ? message : `${message} (${hint})`);
    await host.stderr.flush();
  }
  if (mode !== "text") await host.stdout.write(`${JSON.stringify(told)}\n`);
  else if (error === null) await host.stdout.write(table(told.models));
  return host.stdout.closed() ? EXIT.brokenPipe : report.exit_code;
}

/** Shows why `ash models` could not begin. Resolves to the exit code. */
export function modelsFailed(error: AshError, host: Host, mode: OutputMode): Promise<number> {
  return show({ server: null, models: [], error }, host, { mode, redact: createRedactor([]) });
}

/** With --model only that one is shown, and its absence is an error. */
function onlyAsked(
  models: readonly ListedModel[],
  wanted: string | null,
  server: Server,
): readonly ListedModel[] {
  if (wanted === null) return models;
  const found = models.filter(({ id }) => id === wanted);
  if (found.length > 0) return found;
  throw new ProviderError("not_found", `${server.baseUrl} does not list the model ${wanted}`, {
    hint: "ash models lists what there is",
  });
}

/** Lists the models of the server. Resolves to the exit code: those of `ash ask` for the same failures. */
export async function models(
  invocation: Invocation,
  config: Config,
  host: Host,
  mode: OutputMode,
): Promise<number> {
  const shown: Shown = { mode, redact: config.redact };
  let server: Server | null = null;
  try {
    const [extra] = operands(invocation);
    if (extra !== undefined)
      throw usageError(`ash models takes no words, not ${extra}`, "see: ash models --help");
    server = chooseServer(config);
    const { listModels } = await import("../providers/models.ts");
    const all = await listModels(server, host.stop.signal);
    const wanted = flagValue(invocation, "model") === undefined ? null : askedModel(config, server.preset);
    const listed = onlyAsked(all, wanted, server);
    return await show({ server, models: listed, error: null }, host, shown);
  } catch (thrown) {
    const cause = host.stop.cause();
    const error = cause === null ? toAshError(thrown) : stopError(cause);
    return show({ server, models: [], error }, host, shown);
  }
}
