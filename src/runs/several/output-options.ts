import { namedProtocol } from '../../base/contract/protocol-names.ts';
import { givenOptions } from '../checkpoint/fingerprint.ts';

/** Who predicts. */
interface PredictedBy {
  /** Name of the service. */
  service: string;
  /** How it is asked. */
  protocol?: string | undefined;
  /** Id, and hash of the report's description. */
  report: { id: string; hash: string };
}

/** What affects the outputs of all files of a command: a finished one is scored again when it changes. */
export function outputOptionsOf(
  values: Readonly<Record<string, unknown>>,
  { service, protocol, report }: PredictedBy,
): Record<string, string> {
  const { delimiter, quote, rejects } = values;
  const apart = { '--delimiter': delimiter, '--quote': quote, '--rejects': rejects };
  const given = Object.entries(apart).flatMap(([flag, value]) =>
    value === undefined ? [] : [[flag, JSON.stringify(value)]],
  );
  return {
    service,
    ...namedProtocol(protocol),
    report: `${report.id} ${report.hash}`,
    ...givenOptions(values),
    ...Object.fromEntries(given),
  };
}
