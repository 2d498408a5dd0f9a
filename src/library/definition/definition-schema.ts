import * as z from 'zod';
import { reportId } from '../../base/contract/schemas.ts';
import { evaluateTable, scoredPositional } from '../../base/options/evaluate/evaluate-options.ts';
import { historyPositional, inputsPositional, type Option, type Options } from '../../base/options/option.ts';
import { scoreOptions, serviceOptions } from '../../base/options/score.ts';
import { homeOption } from '../../base/options/service.ts';
import { scaleOutOptions } from '../../base/options/shards.ts';
import { historyOptions, trainOptions } from '../../base/options/train.ts';
import { describedSchema, schemaOf } from '../../base/options/values/value-schema.ts';
import { customShape } from '../../client/protocols/described/custom-shape.ts';
import { contractWire } from '../../client/protocols/report/wire-names.ts';

/** The options of each section of a definition. */
export const sections = {
  train: { history: historyPositional, ...trainOptions, ...historyOptions },
  service: serviceOptions,
  score: { input: inputsPositional, ...scoreOptions, ...scaleOutOptions },
  evaluate: { scored: scoredPositional, ...evaluateTable },
} as const satisfies Record<string, Options>;

const wire = z
  .strictObject(Object.fromEntries(Object.keys(contractWire).map(name => [name, z.string().optional()])))
  .describe(serviceOptions.wire.describe)
  .optional();

const custom = customShape.describe(serviceOptions.custom.describe).optional();

/** A definition: a YAML file that describes a run. Its paths are relative to its own folder. */
export const definitionSchema = z
  .strictObject({
    about: z.string().describe('what the run is for, in one sentence').optional(),
    home: describedSchema(homeOption.home).optional(),
    train: section(sections.train, {
      history: schemaOf(historyPositional).describe(historyPositional.describe),
      predict: describedSchema(trainOptions.predict),
      report: reportId.describe(trainOptions.report.describe),
    })
      .describe('a report to train first')
      .optional(),
    service: section(serviceOptions, { wire, custom })
      .describe('the service that predicts, and the pace of requests')
      .optional(),
    score: section(sections.score, {
      input: schemaOf(inputsPositional).describe(inputsPositional.describe),
      report: describedSchema(scoreOptions.report),
    }).describe('the rows to score'),
    evaluate: section(sections.evaluate, {
      scored: schemaOf(scoredPositional).describe(scoredPositional.describe),
      key: columns(evaluateTable.key),
      by: columns(evaluateTable.by),
    })
      .describe('what rowcast evaluate compares, when labels have come')
      .optional(),
  })
  .describe('A definition of a rowcast run');

/** One column, or a list of them. */
function columns(option: Option): z.ZodType {
  const schema = z.union([z.string().min(1), schemaOf(option)]);
  return schema.describe(option.describe).optional();
}

/** The schema of a section: the table's options, all optional, overridden by the section's own members. */
function section<S extends z.ZodRawShape>(options: Options, own: S): z.ZodObject<Record<string, z.ZodType>> {
  const shape: Record<string, z.ZodType> = {};
  for (const [name, option] of Object.entries(options))
    if (!option.flagOnly) shape[name] = describedSchema(option).optional();
  return z.strictObject({ ...shape, ...own });
}
