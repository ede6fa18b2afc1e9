// Several jobs at a time, never more than asked for. Pure.

/** Runs jobs at most `width` at a time; results come in the order of the jobs. Rejects when a job does. */
export async function inParallel<J, R>(
  width: number,
  jobs: readonly J[],
  run: (job: J) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < jobs.length; i = next++) results[i] = await run(jobs[i] as J);
  };
  await Promise.all(Array.from({ length: Math.min(width, jobs.length) }, worker));
  return results;
}
