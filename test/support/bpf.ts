// Runs a seccomp filter on one system call, the way the kernel does.

/** One system call as a filter sees it. */
export type SystemCall = {
  readonly architecture: number;
  readonly number: number;
  readonly args?: readonly bigint[];
};

/** The filter's verdict as the kernel's 32-bit action. */
export function runFilter(filter: Uint8Array, call: SystemCall): number {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, call.number, true);
  data.setUint32(4, call.architecture, true);
  for (const [i, value] of (call.args ?? []).entries()) data.setBigUint64(16 + 8 * i, value, true);
  const program = new DataView(filter.buffer);
  let accumulator = 0;
  for (let at = 0; at < filter.length / 8; at += 1) {
    const code = program.getUint16(at * 8, true);
    const jumpTrue = program.getUint8(at * 8 + 2);
    const jumpFalse = program.getUint8(at * 8 + 3);
    const value = program.getUint32(at * 8 + 4, true);
    if (code === 0x20) accumulator = data.getUint32(value, true);
    else if (code === 0x54) accumulator = (accumulator & value) >>> 0;
    else if (code === 0x06) return value;
    else if (code === 0x15) at += accumulator === value ? jumpTrue : jumpFalse;
    else if (code === 0x35) at += accumulator >= value ? jumpTrue : jumpFalse;
    else if (code === 0x45) at += (accumulator & value) !== 0 ? jumpTrue : jumpFalse;
    else throw new Error(`unknown instruction ${code}`);
  }
  throw new Error("the filter ran off its end");
}
