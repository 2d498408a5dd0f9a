/**
 * A scored CSV without the appended columns: its input, byte for byte. Only for probabilities, and records that
 * end in LF.
 *
 * @param classes number of classes
 */
export function withoutProbabilities(scored: string, classes: number): string {
  const [header = ''] = /^.*?(?=(,probability_[^,\n]*)+\n)/s.exec(scored) ?? [];
  const appendedNames = /^(,probability_[^,\n]*)+/.exec(scored.slice(header.length))?.[0] ?? '';
  const numbers = new RegExp(`(,[\\d.e-]+){${classes}}(?=\\n|$)`, 'g');
  return header + scored.slice(header.length + appendedNames.length).replace(numbers, '');
}
