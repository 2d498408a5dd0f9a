import type { LooseReport } from '../../../base/contract/schemas.ts';
import { appendedOptionsFor } from '../../../scoring/merge/appended-for.ts';
import type { Plan } from '../../../scoring/prepare.ts';

/** A column as lineage describes it. */
export interface RunColumn {
  name: string;
  /** Unless it is unknown. */
  type?: string;
}

/** The columns of a run's input and output. */
export interface RunColumns {
  input: readonly RunColumn[];
  /** @param classes those of the output's header; none if they are not known yet */
  output(classes: readonly string[]): readonly RunColumn[];
}

export function runColumns({ layout, report, options }: Plan): RunColumns {
  const types = new Map(report.columns?.map(({ name, type }) => [name, type]));
  const typed = (name: string): RunColumn => {
    const type = types.get(name);
    return { name, ...(type !== undefined && { type: String(type) }) };
  };
  return {
    input: layout.names.map(typed),
    output(classes) {
      const own = layout.ownNames.map(typed);
      if (classes.length === 0) return own;
      const about: Pick<LooseReport, 'predicts'> = report;
      const appended = appendedOptionsFor({
        ...options,
        layout,
        report: { ...about, classes: [...classes] },
        classes,
      });
      if (appended === undefined) return own;
      const names = layout.appendedNames(appended);
      const isLabel = (index: number): boolean =>
        appended.prediction !== undefined && index === names.length - 1;
      return [...own, ...names.map((name, at) => ({ name, type: isLabel(at) ? 'string' : 'number' }))];
    },
  };
}
