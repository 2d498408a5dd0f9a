import type { PredictionType } from '../base/contract/predictions.ts';
import { columnsToAppend } from '../scoring/merge/appended-for.ts';
import type { RowsPlan } from '../scoring/prepare.ts';

/** A column as lineage describes it. */
export interface RunColumn {
  name: string;
  /** Unless it is unknown. */
  type?: string;
}

/** The columns of a run's input and output. */
export interface RunColumns {
  /** The name of the format that the input is read as. */
  format?: string;
  input: readonly RunColumn[];
  /** The names of those that --allow-missing let be sent as missing values. */
  absent?: readonly string[];
  /** @param predictionType what the output's header says; null if that is not known yet */
  output(predictionType: PredictionType | null): readonly RunColumn[];
}

export function runColumns({ layout, report, values }: RowsPlan): RunColumns {
  const types = new Map(report.columns?.map(({ name, type }) => [name, type]));
  const typed = (name: string): RunColumn => {
    const type = types.get(name);
    return { name, ...(type !== undefined && { type: String(type) }) };
  };
  return {
    format: layout.format,
    input: layout.names.map(typed),
    absent: absentFrom(layout, report, values),
    output(predictionType) {
      const own = layout.ownNames.map(typed);
      if (predictionType === null) return own;
      const appended = columnsToAppend({ ...values, layout, report }, predictionType);
      return [...own, ...appended.map(({ name, isText }) => ({ name, type: isText ? 'string' : 'number' }))];
    },
  };
}

function absentFrom(
  { names, absent = [] }: RowsPlan['layout'],
  { columns = [] }: RowsPlan['report'],
  { features, excludeFeatures = [] }: RowsPlan['values'],
): string[] {
  const [there, excluded, never] = [new Set(names), new Set(excludeFeatures), new Set(absent)];
  const wanted = features ?? columns.map(({ name }) => name);
  return wanted.filter(name => (!there.has(name) || never.has(name)) && !excluded.has(name));
}
