import { counted } from '../number-text.ts';
import { formatList } from '../sanitize.ts';
import type { ImportedFrom, Report } from './schemas.ts';

/** Where the model of an imported report comes from, as texts with their names, which may contain what a file said. */
export function importedFacts(from: ImportedFrom): [name: string, text: string][] {
  const { compared, iterations } = from;
  return [
    ['library', `${from.library} (${from.version})`],
    ['objective', from.objective],
    ['trees', counted(from.trees)],
    ['iterations', iterationText(iterations)],
    ['features', counted(from.features)],
    ['SHA-256 of the file', from.file_sha256],
    [
      'compared with the library',
      compared === undefined
        ? 'no'
        : `${counted(compared.identical)} of ${counted(compared.numbers)} numbers of ${counted(compared.rows)} rows are identical; the largest difference is ${compared.largest_difference}`,
    ],
  ];
}

const iterationText = ({ all, best, used }: ImportedFrom['iterations']): string =>
  `${counted(used)} of ${counted(all)}${best === undefined ? '' : `; the best is number ${counted(best)}`}`;

/** What a report predicts that has no classes: one number, or several by name. */
export const numbersText = (names: readonly string[]): string =>
  names.length === 0 ? 'a number' : `the numbers ${formatList(names)}`;

/** The testing accuracy of a report, or R² of one of numbers; undefined if it was imported without labelled rows. */
export const testedText = ({ tech_specs: specs }: Report): string | undefined =>
  'testing_r2' in specs ? `R² ${specs.testing_r2}` : specs.testing_accuracy;
