// What others take from the settings: the limits of a call, the budgets of a run, what may be shown and what may stand
// in a file.
import type { Budgets, Limits } from "./limits.ts";
import { SETTINGS, type Setting, type SettingName, type Settings } from "./settings.ts";
import type { ValueKind } from "./values.ts";

/** The limits of one tool call. */
export function limitsOf(settings: Settings): Limits {
  return {
    timeoutMs: settings.toolTimeout,
    outputMax: settings.toolOutputMax,
    memoryMax: settings.toolMemoryMax,
    cpuMs: settings.toolCpuMax,
    fileMax: settings.toolFileMax,
    processMax: settings.toolProcessMax,
  };
}

/** The budgets of one run. */
export function budgetsOf(settings: Settings): Budgets {
  return {
    maxTurns: settings.maxTurns,
    maxToolCalls: settings.maxToolCalls,
    deadlineMs: settings.deadline,
    maxTokens: settings.maxTokens,
    maxCostUsd: settings.maxCost,
  };
}

/** Settings as they may be shown: secrets hidden, those of the run's events and `ash config`. */
export function shownSettings(settings: Settings): Readonly<Record<string, unknown>> {
  const names = Object.keys(SETTINGS) as readonly SettingName[];
  return Object.fromEntries(
    names.map((name) => {
      const value = settings[name];
      return [snakeCase(name), SETTINGS[name].secret ? (value === null ? null : "[secret]") : value];
    }),
  );
}

/** The name of a setting as files and JSON write it. */
export const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The settings that may stand in config.toml, by their key there. */
export function fileSettings(): readonly {
  readonly key: string;
  readonly kind: ValueKind;
  readonly help: string;
}[] {
  return Object.values(SETTINGS).flatMap(({ toml, kind, help }: Setting<unknown>) =>
    toml === null ? [] : [{ key: toml, kind, help }],
  );
}
