// Time, the only place that reads a clock or waits.

/** Milliseconds since the epoch. */
export function wallClock(): number {
  return Date.now();
}

/** Milliseconds on a clock that never jumps. */
export function monotonic(): number {
  return performance.now();
}

/** Resolves after `ms`, or at once when the signal aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done, { once: true });
  });
}

/** Waits for a promise, but at most `ms`; true when it settled in time. Leaves no timer behind. */
export async function within(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const patience = new AbortController();
  const settled = promise.then(
    () => true,
    () => true,
  );
  const inTime = await Promise.race([settled, sleep(ms, patience.signal).then(() => false)]);
  patience.abort();
  return inTime;
}
