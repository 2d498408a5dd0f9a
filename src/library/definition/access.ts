import type { MemberPath } from './document.ts';

/** Something that a definition reads, writes or sends. */
export interface Access {
  /** The member that says so. */
  path: MemberPath;
  does: 'read' | 'write' | 'send' | 'run';
  /** A path or URL; for `send`, what is sent; for `run`, a command of the shell. */
  what: string;
  /** Where it is sent. */
  to?: string;
  /** Whether `what` is a path or a URL. */
  isFile?: boolean;
  /** Why a definition of somebody else must not do it; undefined if any definition may. */
  refusal: string | undefined;
}
