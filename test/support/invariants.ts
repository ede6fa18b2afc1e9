// What must hold for every request ash sends, whatever the test is about.

type Block = { readonly type: string; readonly id?: string; readonly tool_use_id?: string };
type Message = { readonly role: string; readonly content: string | readonly Block[] };

/** The parts of a request's body the checks look at. */
export type RequestBody = {
  readonly model: string;
  readonly stream?: boolean;
  readonly system?: string | readonly { readonly text: string }[];
  readonly messages: readonly Message[];
  readonly tools?: readonly { readonly name: string }[];
  readonly [field: string]: unknown;
};

const blocksOf = (message: Message | undefined): readonly Block[] =>
  message === undefined || typeof message.content === "string" ? [] : message.content;

function pairingProblems(messages: readonly Message[]): readonly string[] {
  const problems: string[] = [];
  messages.forEach((message, i) => {
    const next = messages[i + 1];
    const results = blocksOf(next).filter((block) => block.type === "tool_result");
    for (const call of blocksOf(message).filter((block) => block.type === "tool_use")) {
      const answers = results.filter((block) => block.tool_use_id === call.id).length;
      if (answers !== 1) problems.push(`tool_use ${call.id} has ${answers} results in the next message`);
    }
    const asked = blocksOf(messages[i - 1]).filter((block) => block.type === "tool_use");
    for (const result of blocksOf(message).filter((block) => block.type === "tool_result")) {
      if (!asked.some((call) => call.id === result.tool_use_id))
        problems.push(`${result.tool_use_id} answers no call`);
    }
  });
  return problems;
}

/** The system prompt of a request, in whichever form it was sent. */
export function systemOf({ system = "" }: RequestBody): string {
  return typeof system === "string" ? system : system.map(({ text }) => text).join("");
}

const MOST_BREAKPOINTS = 4;

/** Everything wrong with a request; empty when it is as it must be. */
export function requestProblems(text: string, headers: Headers, keys: readonly string[]): readonly string[] {
  const problems: string[] = [];
  if (!text.isWellFormed() || /\\ud[89ab][0-9a-f]{2}(?!\\ud[c-f])/i.test(text))
    problems.push("a lone surrogate");
  for (const key of keys) if (text.includes(key)) problems.push("the key is in the body");
  const sent = headers.get("x-api-key") ?? headers.get("authorization")?.replace(/^Bearer /, "") ?? null;
  if (keys.length > 0 && (sent === null || !keys.includes(sent))) problems.push(`the key header is ${sent}`);
  if (headers.get("anthropic-version") === null) problems.push("no anthropic-version");
  const body = JSON.parse(text) as RequestBody;
  if (text.split('"cache_control":').length - 1 > MOST_BREAKPOINTS) problems.push("too many cache marks");
  body.messages.forEach(({ role }, i) => {
    if (role === body.messages[i - 1]?.role)
      problems.push(`messages ${i - 1} and ${i} are both the ${role}'s`);
  });
  if (body.messages[0]?.role !== "user") problems.push("the first message is not the user's");
  return [...problems, ...pairingProblems(body.messages)];
}
