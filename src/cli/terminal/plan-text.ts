import type { PredictionType } from '../../base/contract/predictions.ts';
import type { Predicted } from '../../base/contract/schemas.ts';
import { counted, countOf, durationOf, sizeOf } from '../../base/number-text.ts';
import { formatList, sanitize } from '../../base/sanitize.ts';
import { readAsText } from '../../formats/read-options.ts';
import type { Plan } from '../../library/forecast/plan-of.ts';
import type { InputPlan } from '../../runs/forecast/plan-input.ts';
import { unsentText } from './reuse/unsent-text.ts';

/** Maximum number of columns that a line lists. */
const MAX_LISTED = 30;

/** Describes the plan of one input for people. */
export function describePlan(plan: InputPlan): string {
  const { matched, missing, unused, near, readAs, rows, batches, requests, unsent, isLowerBound } = plan;
  const about = aboutText(plan);
  const isLocal = requests === 0 && unsent === null;
  const dialect = readAsText(readAs);
  const why = isLowerBound ? '; a large compressed input is not read to its end' : '';
  const parts = [
    ['input', sanitize(plan.input)],
    ...(dialect === '' ? [] : [['dialect', dialect]]),
    ['sent', listed(matched.map(({ name, type }) => (type === null ? name : `${name} (${type})`)))],
    ...(missing.length > 0 ? [['missing', listed(missing)]] : []),
    ...near.map(({ wanted, found }) => ['did you mean', sanitize(`${wanted} for ${found}?`)]),
    ['not sent', listed(unused)],
    ['rows', `${about}${counted(rows)}, in ${about}${countOf(batches, 'batch').replace(/hs$/, 'hes')}${why}`],
    ...(unsent === null ? [] : [['not paid', unsentText(unsent, plan)]]),
    ['requests', isLocal ? 'none: the report is local' : `${about}${counted(requests)}`],
    ['disk space', `${isLowerBound ? 'at least' : 'up to'} ${sizeOf(plan.outputBytes)}`],
    ...probeLines(plan),
    ...(plan.problem === undefined ? [] : [['refused', sanitize(plan.problem.message)]]),
  ];
  return parts.map(([name = '', text]) => `${name.padEnd(13)} ${text}\n`).join('');
}

const aboutText = ({ isExact, isLowerBound }: Pick<InputPlan, 'isExact' | 'isLowerBound'>): string =>
  isExact ? '' : isLowerBound ? 'at least ' : 'about ';

function probeLines({ probe, rows, requests, isLowerBound, appends }: InputPlan): string[][] {
  if (probe === null) return [];
  const { latency, rowsPerSecond, predictionType, firstRow } = probe;
  const times = latency === null ? '' : `, ${latencyText(latency)}`;
  const unit = requests === 0 ? 'batch' : 'request';
  const calls = countOf(probe.requests, unit).replace(/hs$/, 'hes');
  return [
    ['probe', `${calls} for ${countOf(probe.rows, 'row')}${times}`],
    [
      'time',
      `${isLowerBound ? 'for these rows' : 'at most'} ${durationOf(rows / rowsPerSecond)}: ${counted(rowsPerSecond)} rows/s with one ${unit} at a time`,
    ],
    ...(predictionType === null ? [] : [['understood', sanitize(understoodText(predictionType))]]),
    ...(appends === null ? [] : [['appended', listed(appends)]]),
    ...(firstRow === null ? [] : [['first row', sanitize(firstRowText(firstRow))]]),
  ];
}

/** What was understood of responses. */
function understoodText(predictionType: PredictionType): string {
  switch (predictionType.kind) {
    case 'distribution':
      return `a probability for each of the classes ${formatList(predictionType.classes)}`;
    case 'label':
      return 'a label for each row';
    case 'numbers':
      return predictionType.names.length === 0
        ? 'a number for each row'
        : `the numbers ${formatList(predictionType.names)} for each row`;
  }
}

/** Probabilities, or several numbers, by name; or a label, or a number. */
function firstRowText(firstRow: Predicted): string {
  if ('label' in firstRow) return firstRow.label;
  if ('value' in firstRow) return String(firstRow.value);
  const named = 'values' in firstRow ? firstRow.values : firstRow.probabilities;
  return Object.entries(named)
    .map(pair => pair.join(' '))
    .join(', ');
}

/** How long requests took; a range unless its ends are equal when rounded to milliseconds. */
export function latencyText({ min, max }: { min: number; max: number }): string {
  const [least, most] = [counted(Math.round(min)), counted(Math.round(max))];
  return least === most ? `${least} ms` : `${least} to ${most} ms each`;
}

/** The totals of all inputs. */
export function describeTotals(plan: Omit<Plan, 'format' | 'report' | 'service' | 'inputs'>): string {
  const { rows, requests, rows_sent: sent, disk_bytes: outputBytes, cost, saved } = plan;
  const { is_exact: isExact, is_lower_bound: isLowerBound } = plan;
  const about = aboutText({ isExact, isLowerBound });
  return [
    `${about}${countOf(rows, 'row')}`,
    ...(sent < rows ? [`about ${counted(sent)} sent`] : []),
    ...(requests === 0 ? [] : [`${about}${countOf(requests, 'request')}`]),
    `${isLowerBound ? 'at least' : 'up to'} ${sizeOf(outputBytes)} of disk space${freeText(plan)}`,
    ...(cost === null ? [] : [`cost ${about}${cost.toFixed(2)}`]),
    ...(saved ? [`about ${saved.toFixed(2)} saved`] : []),
  ].join(', ');
}

type PlanSpace = Pick<Plan, 'disk_bytes' | 'free_bytes' | 'is_lower_bound'>;

/** Whether the outputs fit on their disk. */
function freeText({ disk_bytes: needed, free_bytes: free, is_lower_bound: isLowerBound }: PlanSpace): string {
  if (free === null) return '';
  if (free >= needed) return ` (${sizeOf(free)} free)`;
  return ` (only ${sizeOf(free)} free, so the output ${isLowerBound ? 'does' : 'may'} not fit)`;
}

function listed(names: readonly string[]): string {
  if (names.length === 0) return 'none';
  const more = names.length - MAX_LISTED;
  return names.slice(0, MAX_LISTED).map(sanitize).join(', ') + (more > 0 ? ` and ${counted(more)} more` : '');
}
