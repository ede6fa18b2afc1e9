// What it takes to talk to one server. Types only.
import type { Secret } from "../secret.ts";
import type { Preset } from "./presets.ts";

/** The key of a server, the header it goes into, and where it comes from, as `env NAME`. */
export type Credential = {
  readonly form: "bearer" | "x-api-key";
  readonly value: Secret;
  readonly origin: string;
};

/** A server to talk to. */
export type Connection = {
  readonly preset: Preset;
  readonly baseUrl: string;
  readonly model: string;
  readonly credential: Credential | null;
};
