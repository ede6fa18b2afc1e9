// `ash config`: the settings a run with these flags would have, each with where it comes from. It changes nothing.
import { flagValue, type Invocation, type OutputMode, operands } from "../argv.ts";
import type { Config } from "../config.ts";
import { effectiveSettings } from "../effective.ts";
import { EXIT, usageError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { terminalWidth } from "../host/terminal.ts";
import { definitions, pad, USUAL_WIDTH } from "../layout.ts";
import { openLog } from "../log.ts";
import { redactAll } from "../redact.ts";
import { sanitize } from "../sanitize.ts";
import type { SettingsReport } from "../schema/reports.ts";

const NARROW = 64;

/** Three columns; on a narrow terminal two. */
function settingsText(settings: SettingsReport["settings"], width: number): string {
  if (width < NARROW)
    return definitions(
      settings.map(({ name, shown, origin }) => [name, `${shown} (${origin})`] as const),
      width,
    );
  const widest = (texts: readonly string[]): number =>
    Math.max(...texts.map((text) => Bun.stringWidth(text)));
  const names = widest(settings.map(({ name }) => name));
  // One long value must not push the origins of all others off the screen.
  const values = Math.min(widest(settings.map(({ shown }) => shown)), 24);
  return settings
    .map(({ name, shown, origin }) => `  ${pad(name, names)}  ${pad(shown, values)}  ${origin}`)
    .join("\n");
}

const listed = (names: readonly string[]): string => (names.length === 0 ? "none" : names.join(" "));

function permissionRows(permissions: SettingsReport["permissions"]): readonly (readonly [string, string])[] {
  const { source, allow, deny, unrestricted, ask, network, level, sandbox } = permissions;
  return [
    ["may run", `${listed(allow)} (${source})`],
    ["taken away", listed(deny)],
    ["unrestricted", listed(unrestricted)],
    ["ask first", `${listed(ask)} (level ${level})`],
    ["network", listed(network)],
    ["sandbox", sandbox ?? "not available"],
  ];
}

function modelRows({
  provider,
  base_url: url,
  model,
  key_origin: origin,
  problem,
}: SettingsReport["model"]): readonly (readonly [string, string])[] {
  return [
    ["server", url === null ? provider : `${provider} at ${url}`],
    ["model", model ?? "not chosen"],
    ["key", origin === null ? "not set" : `set, from ${origin}`],
    ...(problem === null ? [] : [["problem", problem] as const]),
  ];
}

function text(report: SettingsReport, width: number): string {
  const blocks = [
    ["settings", settingsText(report.settings, width)],
    ["permissions of tools", definitions(permissionRows(report.permissions), width)],
    ["model", definitions(modelRows(report.model), width)],
  ] as const;
  return `home: ${report.home}\n\n${blocks.map(([title, body]) => `${title}:\n${body}\n`).join("\n")}`;
}

/** Prints the effective settings. Resolves to 0; throws what a run with these settings would throw. */
export async function config(
  invocation: Invocation,
  settings: Config,
  host: Host,
  mode: OutputMode,
): Promise<number> {
  const [operand] = operands(invocation);
  if (operand !== undefined)
    throw usageError(`ash config takes flags only, not ${operand}`, "one setting: ash config --json");
  const report = redactAll(settings.redact, effectiveSettings(settings, flagValue(invocation, "replay")));
  if (mode !== "text") {
    await host.stdout.write(`${JSON.stringify(report)}\n`);
    return EXIT.ok;
  }
  const log = openLog(host.stderr);
  for (const warning of report.warnings) log.warn(warning);
  await host.stdout.write(sanitize(text(report, terminalWidth(1) ?? USUAL_WIDTH)).text);
  return EXIT.ok;
}
