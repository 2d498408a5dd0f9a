import { dialects } from './dialects.ts';
import { exports } from './exports.ts';
import { formats } from './formats.ts';
import type { Kind } from './kind.ts';
import { preambles } from './preambles.ts';
import { unsupported } from './unsupported.ts';

/** All kinds of files, by the heading that their table has in docs/formats.md#what-becomes-of-your-file. */
export const kinds = {
  dialects,
  preambles,
  formats,
  unsupported,
  exports,
} satisfies Readonly<Record<string, readonly Kind[]>>;
