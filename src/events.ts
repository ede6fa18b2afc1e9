// Who hears what happens during a run, as it happens.
import type { AgentEvent } from "./schema.ts";

/** Takes events in order. */
export type EventSink = (event: AgentEvent) => void;
