// The models a server lists at /v1/models, whichever of the usual forms it writes them in.
import { ProviderError } from "../provider.ts";
import { ask } from "./anthropic.ts";
import type { Server } from "./connection.ts";
import { protocolError } from "./failure.ts";
import { readText } from "./messages.ts";

/** One model of a list; null where the server does not say. */
export type ListedModel = {
  readonly id: string;
  readonly display_name: string | null;
  /** Tokens of its context. */
  readonly context_tokens: number | null;
};

type Data = Readonly<Record<string, unknown>>;

const dataOf = (value: unknown): Data =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Data) : {};

const firstText = (...values: readonly unknown[]): string | null =>
  values.find((value): value is string => typeof value === "string" && value !== "") ?? null;

const firstCount = (...values: readonly unknown[]): number | null =>
  values.find((value): value is number => Number.isSafeInteger(value) && Number(value) > 0) ?? null;

function readModel(entry: unknown): readonly ListedModel[] {
  const model = dataOf(entry);
  const id = firstText(entry, model.id, model.model, model.name);
  if (id === null) return [];
  const name = firstText(model.display_name, model.name);
  const meta = dataOf(model.meta);
  return [
    {
      id,
      display_name: name === id ? null : name,
      context_tokens: firstCount(
        model.max_input_tokens,
        model.context_length,
        model.context_window,
        model.max_model_len,
        meta.n_ctx,
        model.max_context_length,
        meta.n_ctx_train,
      ),
    },
  ];
}

type Page = { readonly models: readonly ListedModel[]; readonly after: string | null };

/** Reads one answer; null when it is no list of models. */
export function readPage(text: string): Page | null {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return null;
  }
  const { data, models, has_more, last_id } = dataOf(answer);
  const list = [answer, data, models].find(Array.isArray);
  if (list === undefined) return null;
  return { models: list.flatMap(readModel), after: has_more === true ? firstText(last_id) : null };
}

/** A server that answers at once answers a list within this, in milliseconds. */
const PATIENCE_MS = 30_000;
const MOST_PAGES = 50;

/** A list nobody keeps is no fault of the address or the key. */
function missing(thrown: unknown, { baseUrl }: Server): unknown {
  const status = thrown instanceof ProviderError ? thrown.details.httpStatus : undefined;
  if (status !== 404 && status !== 405 && status !== 501) return thrown;
  return new ProviderError("not_found", `${baseUrl} has no list of models at /v1/models (${status})`, {
    httpStatus: status,
    hint: "name a model with --model; the server's own documentation lists them",
  });
}

async function fetchPage(server: Server, path: string, stop: AbortSignal): Promise<Page> {
  const progress = { stop, started: () => false };
  return ask(server, { path }, progress, async ({ chunks }) => {
    const page = readPage(await readText(chunks, server));
    if (page !== null) return page;
    throw protocolError(server, "its answer at /v1/models is not a list of models");
  });
}

/** Asks for the list. Throws a ProviderError, also when the server has none, or an `interrupted` error. */
export async function listModels(server: Server, stop: AbortSignal): Promise<readonly ListedModel[]> {
  const patient = { ...server, idleMs: Math.min(server.idleMs, PATIENCE_MS) };
  const found: ListedModel[] = [];
  let query = server.preset.name === "anthropic" ? "?limit=1000" : "";
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    let page: Page;
    try {
      page = await fetchPage(patient, `/v1/models${query}`, stop);
    } catch (thrown) {
      throw missing(thrown, server);
    }
    found.push(...page.models);
    if (page.after === null) break;
    query = `?limit=1000&after_id=${encodeURIComponent(page.after)}`;
  }
  return found;
}
