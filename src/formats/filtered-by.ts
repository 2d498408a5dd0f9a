import { type PipedFile, pipeOf } from '../base/shell-pipe.ts';

/**
 * The sentence that tells how to correct a text on its way.
 *
 * @param filter the commands that read the text one after the other, and write it corrected
 */
export const filteredBy = ({ name, decodedBy = [] }: PipedFile, ...filter: readonly string[]): string =>
  `Correct it in a pipe, ${asInput(decodedBy)}: ${pipeOf(name, [...decodedBy, ...filter])} | rowcast …`;

/** How the end of a pipe is read: what `iconv` has converted has another encoding than the file. */
export const asInput = (decodedBy: readonly string[] = []): string =>
  `with - as the input${decodedBy.some(command => command.startsWith('iconv ')) ? ' and without --encoding' : ''}`;
