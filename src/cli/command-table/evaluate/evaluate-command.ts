import { definitionOption } from '../../../base/options/definition.ts';
import {
  evaluateInputs,
  evaluateLimits,
  evaluateOptions,
  evaluateOutputs,
  scoredPositional,
} from '../../../base/options/evaluate/evaluate-options.ts';
import { jsonOption, progressOptions } from '../../../base/options/observability.ts';
import { homeOption } from '../../../base/options/service.ts';
import type { CommandRow } from '../command-row.ts';

/** Says whether predictions came true. */
export const evaluateCommand: CommandRow = {
  name: 'evaluate',
  group: 'Score',
  describe: 'say whether predictions came true, when labels have come',
  positionals: [{ name: 'scored', ...scoredPositional, defaultText: "the definition's", isRepeated: true }],
  options: {
    Labels: { ...definitionOption, ...evaluateOptions, ...homeOption },
    Limits: evaluateLimits,
    Output: { ...evaluateOutputs, ...jsonOption },
    Input: evaluateInputs,
    Progress: progressOptions,
  },
  examples: {
    'Join outcomes by a key': `rowcast evaluate scored.csv --labels outcomes.csv --key customer_id \\
--predict churned --html october.html`,
    'Each month on its own, with a limit for a scheduler': `rowcast evaluate 'scored/*.parquet' --labels outcomes.csv --key customer_id \\
--predict churned --by month --min-auc 0.78`,
    'As a definition says': 'rowcast evaluate --definition nightly.yaml',
  },
  load: async () => ({ run: (await import('../../evaluate/run-evaluation.ts')).runEvaluation }),
};
