/**
 * A scored CSV without what rowcast appended: its input, byte for byte. For probabilities alone, and records that
 * end in LF.
 *
 * @param classes how many there are
 */
export function withoutProbabilities(scored: string, classes: number): string {
  const [header = ''] = /^.*?(?=(,probability_[^,\n]*)+\n)/s.exec(scored) ?? [];
  const appendedNames = /^(,probability_[^,\n]*)+/.exec(scored.slice(header.length))?.[0] ?? '';
  const numbers = new RegExp(`(,[\\d.e-]+){${classes}}(?=\\n|$)`, 'g');
  return header + scored.slice(header.length + appendedNames.length).replace(numbers, '');
}
