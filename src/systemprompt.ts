// The system prompt of a run: `.ash_system` with the facts of this machine and this policy.
import { bootstrapText } from "./assets.ts";
import type { Config } from "./config.ts";
import { readOwnFile } from "./home.ts";
import { wallClock } from "./host/clock.ts";
import { machineName, systemName } from "./host/system.ts";
import type { Policy } from "./policy/policy.ts";
import { expandSystem } from "./prompt.ts";

/** Today as YYYY-MM-DD in the user's time zone. */
export function today(): string {
  const now = new Date(wallClock());
  return `${now.getFullYear()}-${String(now.getMonth() + 1).padStart(2, "0")}-${String(now.getDate()).padStart(2, "0")}`;
}

/** What a system prompt says besides what the configuration does. */
export type PromptParts = {
  readonly folder: string;
  readonly date: string;
  /** What is said about the Python tools. */
  readonly tools: string;
};

/** The system prompt. Throws a configuration error when the file cannot be trusted or read. */
export function systemPrompt(config: Config, policy: Policy, { folder, date, tools }: PromptParts): string {
  const { home, surroundings } = config;
  const names = [...policy.entries.keys()].filter((name) => !policy.denied.has(name)).sort();
  return expandSystem(readOwnFile(home.system) ?? bootstrapText(".ash_system"), {
    OS: systemName(),
    HOST: machineName(),
    USER: surroundings.userName,
    HOME: surroundings.userHome,
    CWD: folder,
    DATE: date,
    ASH_HOME: home.root,
    ALLOWED: names.filter((name) => !name.endsWith(".py")).join(" "),
    TOOLS: tools,
  });
}
