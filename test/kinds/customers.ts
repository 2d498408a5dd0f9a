import { seededRandom } from '../../src/training/seeded-random.ts';

/** The columns of all kinds of files: text that is not sent, a number, a category, an amount, a date and yes or no. */
export const names = ['customer', 'age', 'plan', 'amount', 'joined', 'active'] as const;

/** The rows of all kinds of files. */
export const customers: readonly (readonly string[])[] = [
  ['C-1', '34', 'basic', '1250.50', '2024-03-15', 'yes'],
  ['C-2', '51', 'pro', '80.25', '2023-11-30', 'no'],
  ['C-3', '27', 'plus', '410.00', '2024-01-02', 'yes'],
  ['C-4', '63', 'basic', '95.75', '2022-07-21', 'no'],
];

/** The customers as a table of text. */
export function table({
  delimiter = ',',
  ending = '\n',
  rows = customers,
  header = names as readonly string[],
} = {}): string {
  return [header, ...rows].map(row => row.join(delimiter) + ending).join('');
}

/** The customers as objects, of which `age` and `amount` are numbers. */
export const objects = customers.map(row =>
  Object.fromEntries(row.map((text, i) => [names[i], i === 1 || i === 3 ? Number(text) : text])),
);

/** The customers as JSON lines. */
export const lines = objects.map(object => `${JSON.stringify(object)}\n`).join('');

/** Rows to learn from, in which all columns but the first one matter. */
export function history(rows = 300): string {
  const random = seededRandom(11);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T; // the list is not empty
  const labelled = Array.from({ length: rows }, (_, i) => {
    const [age, amount, days] = [
      20 + Math.floor(random() * 50),
      20 + random() * 1500,
      Math.floor(random() * 1000),
    ];
    const [plan, active] = [pick(['basic', 'plus', 'pro']), pick(['yes', 'no'])];
    const joined = new Date(Date.UTC(2022, 0, 1 + days)).toISOString().slice(0, 10);
    const score =
      (age > 45 ? 1 : 0) +
      (amount < 400 ? 1 : 0) +
      (plan === 'basic' ? 1 : 0) +
      (active === 'no' ? 1 : 0) +
      days / 1000;
    return [
      `H-${i}`,
      String(age),
      plan,
      amount.toFixed(2),
      joined,
      active,
      score + random() > 3 ? 'yes' : 'no',
    ];
  });
  return table({ header: [...names, 'churned'], rows: labelled });
}
