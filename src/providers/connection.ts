// What it takes to talk to one server. Types only.
import type { Secret } from "../secret.ts";
import type { Preset } from "./presets.ts";
import type { HttpProxy } from "./proxy.ts";

/** The key of a server, the header it goes into, and where it comes from, as `env NAME`. */
export type Credential = {
  readonly form: "bearer" | "x-api-key";
  readonly value: Secret;
  readonly origin: string;
};

/** A header the user adds to every request, for a gateway that wants one. */
export type CustomHeader = { readonly name: string; readonly value: Secret };

/** A server to talk to. */
export type Server = {
  readonly preset: Preset;
  readonly baseUrl: string;
  readonly credential: Credential | null;
  readonly headers: readonly CustomHeader[];
  /** Null for a direct connection. */
  readonly proxy: HttpProxy | null;
  /** Silence that counts as a dead server, in milliseconds. */
  readonly idleMs: number;
};

/** A server and the model to ask there. */
export type Connection = Server & { readonly model: string };
