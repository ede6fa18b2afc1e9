// The numbers a control group is given for the limits of a call. Arithmetic only.

const MOST_TASKS = 4_194_304;
const LEAST_MEMORY = 1024 * 1024;

/** Threads count as tasks, and a program may have many for each process. The kernel refuses more than 4,194,304. */
export const taskLimit = (processes: number): number => Math.min(processes * 2 + 64, MOST_TASKS);

/** Bytes; with less than 1 MiB the process that waits for its order would be ended before it gets one. */
export const memoryLimit = (bytes: number): number => Math.max(bytes, LEAST_MEMORY);
