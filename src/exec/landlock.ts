// Landlock: which files a process and all it starts may read, write and execute, and whom they may signal.
// It restricts the calling thread for good; only the jail's child may do so.
import { closeQuietly } from "../host/files.ts";
import { address, linux } from "../host/native.ts";

/**
 * What may be done with a path and everything below it. `list` shows names and opens nothing; it reaches below as
 * well, since Landlock knows no rule for a folder alone. `change` makes, writes and removes files and reads none.
 */
export type Access = "list" | "read" | "execute" | "write" | "change";

/** A path and what may be done with it. */
export type Grant = { readonly path: string; readonly access: Access; readonly folder: boolean };

const CREATE_RULESET = 444n;
const ADD_RULE = 445n;
const RESTRICT_SELF = 446n;
const GET_VERSION = 1n;
const PATH_BENEATH = 1n;
const O_PATH_CLOEXEC = 0o12000000;

const EXECUTE = 1n << 0n;
const WRITE_FILE = 1n << 1n;
const READ_FILE = 1n << 2n;
const READ_DIR = 1n << 3n;
const REFER = 1n << 13n;
const TRUNCATE = 1n << 14n;
const IOCTL_DEVICE = 1n << 15n;
/** Everything ABI 1 knows, from executing to making symbolic links. */
const ABI_1 = (1n << 13n) - 1n;
const FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEVICE;

/** The newest Landlock version the kernel has, or 0 when it has none or it is switched off. */
export function landlockVersion(): number {
  const version = linux()?.syscall(CREATE_RULESET, 0n, 0n, GET_VERSION, 0n, 0n) ?? 0;
  return Math.max(0, Number(version));
}

const handledRights = (abi: number): bigint =>
  ABI_1 | (abi >= 2 ? REFER : 0n) | (abi >= 3 ? TRUNCATE : 0n) | (abi >= 5 ? IOCTL_DEVICE : 0n);

function rightsOf({ access, folder }: Grant, handled: bigint): bigint {
  // Everything but executing and devices.
  const write = handled & ~(EXECUTE | IOCTL_DEVICE | (1n << 6n) | (1n << 11n));
  const wanted: Readonly<Record<Access, bigint>> = {
    list: READ_DIR,
    read: READ_FILE | READ_DIR,
    execute: READ_FILE | READ_DIR | EXECUTE,
    write,
    change: write & ~(READ_FILE | READ_DIR),
  };
  return wanted[access] & handled & (folder ? handled : FILE_RIGHTS);
}

/** A ruleset under construction: it can be filled long before it is put on. */
export type Ruleset = {
  /** Adds grants; false when the kernel refuses one. A path that is gone needs none. */
  add(grants: readonly Grant[]): boolean;
  /** Restricts this thread, and all it starts, to what was added. Needs no_new_privs. False when refused. */
  restrict(): boolean;
};

/** Makes an empty ruleset, or null when the kernel has no Landlock. */
export function createRuleset(abi: number): Ruleset | null {
  const library = linux();
  if (library === null || abi < 1) return null;
  const handled = handledRights(abi);
  // handled_access_fs; handled_access_net is the filter's business; scoped: abstract sockets and signals (ABI 6).
  const attributes = new BigUint64Array([handled, 0n, abi >= 6 ? 3n : 0n]);
  const size = abi >= 6 ? 24n : 8n;
  const ruleset = Number(library.syscall(CREATE_RULESET, address(attributes), size, 0n, 0n, 0n));
  if (ruleset < 0) return null;
  const addOne = (grant: Grant): boolean => {
    const rights = rightsOf(grant, handled);
    const fd = library.open(Buffer.from(`${grant.path}\0`), O_PATH_CLOEXEC);
    if (fd < 0) return true;
    const rule = new Uint8Array(12);
    const view = new DataView(rule.buffer);
    view.setBigUint64(0, rights, true);
    view.setInt32(8, fd, true);
    const added = library.syscall(ADD_RULE, BigInt(ruleset), PATH_BENEATH, address(rule), 0n, 0n);
    closeQuietly(fd);
    return Number(added) === 0;
  };
  return {
    add: (grants) => grants.every(addOne),
    restrict: () => Number(library.syscall(RESTRICT_SELF, BigInt(ruleset), 0n, 0n, 0n, 0n)) === 0,
  };
}
