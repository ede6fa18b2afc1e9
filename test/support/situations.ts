// Situations a call of ash can be in, each with the answer the contract promises: read by the table-driven tests.
import { CONFIG } from "./situations/config.ts";
import { DEMANDS } from "./situations/demands.ts";
import { FINE, LIMITS, NO_ANSWER } from "./situations/outcome.ts";
import { SERVER } from "./situations/server.ts";
import type { Situation } from "./situations/situation.ts";
import { USAGE } from "./situations/usage.ts";

/** Every situation of a question, in the order of the exit codes. */
export const SITUATIONS: readonly Situation[] = [
  ...FINE,
  ...USAGE,
  ...CONFIG,
  ...SERVER,
  ...LIMITS,
  ...NO_ANSWER,
  ...DEMANDS,
];
