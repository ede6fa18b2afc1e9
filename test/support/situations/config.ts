// Settings, files of the home and keys that are wrong: exit code 3.
import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { KEY } from "../asking.ts";
import { fails } from "../modelserver.ts";
import { config, type Situation, served, writeHome } from "./situation.ts";

/** What keeps a run from starting, and a key that is not taken. */
export const CONFIG: readonly Situation[] = [
  config("no key", ["--provider=anthropic", "go"], { env: {}, type: "auth" }),
  config("an unknown provider", ["--provider=acme", "go"]),
  config("a config.toml that is no TOML", ["go"], {
    prepare: (place) => writeHome(place, "config.toml", "model = \n"),
  }),
  config("an unknown setting", ["go"], {
    prepare: (place) => writeHome(place, "config.toml", "modle = 'x'\n"),
  }),
  config("a setting of the wrong type", ["go"], {
    prepare: (place) => writeHome(place, "config.toml", "max_turns = 'lots'\n"),
  }),
  config("a config.toml others can write", ["go"], {
    prepare: (place) => writeHome(place, "config.toml", "max_turns = 3\n", 0o666),
  }),
  config("a home others can write", ["go"], {
    prepare: (place) => {
      mkdirSync(place.ashHome);
      chmodSync(place.ashHome, 0o777);
    },
  }),
  config("an allowlist that is a link", ["go"], {
    prepare: (place) => {
      writeHome(place, "other", "ls\n");
      symlinkSync("other", join(place.ashHome, ".ash_tools"));
    },
  }),
  config("an allowlist with a line that is none", ["go"], {
    prepare: (place) => writeHome(place, ".ash_tools", "ls\ncat: sometimes\n"),
  }),
  config("a relative ASH_HOME", ["go"], { env: { ...KEY, ASH_HOME: "here" } }),
  config("a bad value in the environment", ["go"], { env: { ...KEY, ASH_TOOL_TIMEOUT: "soon" } }),
  config("a sandbox that is required and weak", ["--replay=demo", "go"], {
    env: { ASH_SANDBOX: "rlimits" },
    prepare: (place) => writeHome(place, "config.toml", "require_sandbox = true\n"),
  }),
  config("the level auto without a jail", ["--level=auto", "--replay=demo", "go"], {
    env: { ASH_SANDBOX: "none" },
  }),
  config("an address that is none", ["go"], { env: { ...KEY, ANTHROPIC_BASE_URL: "nowhere" } }),
  config("a key that would cross the net in plain text", ["go"], {
    env: { ...KEY, ANTHROPIC_BASE_URL: "http://192.0.2.1" },
  }),
  config("a key and an address from different places", ["go"], {
    prepare: (place) => writeHome(place, "config.toml", "base_url = 'https://models.invalid'\n"),
  }),
  served("a key the server does not take", [3, "error", "auth"], [fails(401, "authentication_error")]),
  served("a key that may not do this", [3, "error", "auth"], [fails(403, "permission_error")]),
];
