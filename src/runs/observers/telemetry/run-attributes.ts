import type { Attributes } from '@opentelemetry/api';
import type { Summary } from '../../summary/summary.ts';

/**
 * What a trace says about a run. Of an error, only the code: messages may quote what the service responded, and that may
 * repeat values of a persona.
 */
export function runAttributes(summary: Summary): Attributes {
  const { rows, retries, error } = summary;
  const known: Record<string, string | number | null> = {
    run_id: summary.run_id,
    input: summary.input,
    output: summary.output,
    report: summary.report,
    service: summary.service,
    status: summary.status,
    exit_code: summary.exit_code,
    attempts: summary.attempts,
    resumed_from_row: summary.resumed_from_row,
    'rows.read': rows.read,
    'rows.scored': rows.scored,
    'rows.rejected': rows.rejected,
    batches: summary.batches,
    requests: summary.calls,
    retries: Object.values(retries).reduce((sum, count) => sum + count, 0),
  };
  const attributes: Attributes = {};
  for (const [name, value] of Object.entries(known))
    if (value !== null) attributes[`rowcast.${name}`] = value;
  if (error !== null) attributes['error.type'] = error.code;
  return attributes;
}
