// Hands open descriptors from one process to another over a local socket.
import { address, linux, unix } from "./native.ts";

const AF_UNIX = 1;
const SOCK_SEQPACKET_CLOEXEC = 5 | 0o2000000;
const SOL_SOCKET = 1;
const SCM_RIGHTS = 1;
const CONTROL_HEADER = 16;
const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;
const MSG_CMSG_CLOEXEC = 0x40000000;

/** Makes two connected ends that keep messages apart, both closed on exec; null where that is impossible. */
export function makeSocketPair(): readonly [number, number] | null {
  const ends = new Int32Array(2);
  const made = unix()?.socketpair(AF_UNIX, SOCK_SEQPACKET_CLOEXEC, 0, ends);
  return made === 0 ? [ends[0] ?? -1, ends[1] ?? -1] : null;
}

/** struct msghdr and struct iovec of a 64-bit Linux; the buffers must stay referenced while it is used. */
function messageHeader(
  data: Uint8Array,
  control: Uint8Array,
): { header: BigUint64Array; vector: BigUint64Array } {
  const vector = new BigUint64Array([address(data), BigInt(data.length)]);
  const header = new BigUint64Array(7);
  header[2] = address(vector);
  header[3] = 1n;
  if (control.length > 0) header[4] = address(control);
  header[5] = BigInt(control.length);
  return { header, vector };
}

/** Sends one message with descriptors; false when the other end is gone. */
export function sendDescriptors(socket: number, data: Uint8Array, descriptors: readonly number[]): boolean {
  const control = new Uint8Array(
    descriptors.length === 0 ? 0 : CONTROL_HEADER + 8 * Math.ceil(descriptors.length / 2),
  );
  if (descriptors.length > 0) {
    const view = new DataView(control.buffer);
    view.setBigUint64(0, BigInt(CONTROL_HEADER + 4 * descriptors.length), true);
    view.setInt32(8, SOL_SOCKET, true);
    view.setInt32(12, SCM_RIGHTS, true);
    for (const [i, fd] of descriptors.entries()) view.setInt32(CONTROL_HEADER + 4 * i, fd, true);
  }
  const { header } = messageHeader(data, control);
  return Number(linux()?.sendmsg(socket, header, MSG_NOSIGNAL) ?? -1) === data.length;
}

/** What a receive brought: a message, the end of the connection, or nothing (not yet, or no socket at all). */
export type Received =
  | { readonly kind: "message"; readonly data: Uint8Array; readonly descriptors: readonly number[] }
  | { readonly kind: "end" }
  | { readonly kind: "nothing" };

/** Receives one message, waiting for it or not. Received descriptors are closed on exec. */
export function receiveDescriptors(socket: number, size: number, wait: boolean): Received {
  const data = new Uint8Array(size);
  const control = new Uint8Array(128);
  const { header } = messageHeader(data, control);
  const flags = MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT);
  const count = Number(linux()?.recvmsg(socket, header, flags) ?? -1);
  if (count <= 0) return { kind: count === 0 ? "end" : "nothing" };
  const view = new DataView(control.buffer);
  const length = Number(header[5] ?? 0n) >= CONTROL_HEADER ? Number(view.getBigUint64(0, true)) : 0;
  const descriptors: number[] = [];
  for (let at = CONTROL_HEADER; at + 4 <= length; at += 4) descriptors.push(view.getInt32(at, true));
  return { kind: "message", data: data.slice(0, count), descriptors };
}

/** Puts data into a file that exists in memory only and returns its descriptor; null where that is impossible. */
export function memoryFile(name: string): number | null {
  const fd = linux()?.memfd_create(Buffer.from(`${name}\0`), 1) ?? -1;
  return fd < 0 ? null : fd;
}
