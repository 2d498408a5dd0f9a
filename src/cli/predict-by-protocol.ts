import { numbersPerRow, type Predictions } from '../base/contract/predictions.ts';
import type { ProtocolName } from '../base/contract/protocol-names.ts';
import type { Description, Features } from '../base/contract/schemas.ts';
import { RowcastError } from '../base/errors.ts';
import { type OneOptions, predictOne } from '../client/scorer/predict-one.ts';
import { chooseProtocol } from '../library/service/choose-protocol.ts';
import { chooseService } from '../library/service/choose-service.ts';
import { withClient } from '../library/service/open-client.ts';
import { needsReports } from '../library/service/refuse-protocol.ts';
import type { Context } from './context.ts';
import { retryLines } from './open-service.ts';

export interface OnePrediction extends OneOptions {
  id: string;
  protocol: ProtocolName;
  timeout: number;
}

/**
 * Asks a service of any protocol for one prediction.
 *
 * @param featuresFor the persona, once it is known what the service says about its columns
 * @returns what `rowcast predict` prints
 * @throws RowcastError `wrong_prediction`, `wrong_probabilities`
 */
export async function predictByProtocol(
  { flags, env, log }: Context,
  { id, protocol, timeout, ...options }: OnePrediction,
  featuresFor: (description: Description) => Features,
): Promise<object> {
  const address = chooseService({ flags, env });
  if (address.kind === 'local') throw needsReports(protocol, 'A local report');
  const chosen = chooseProtocol({ protocol });
  const connecting = { values: { timeout }, env, onRetry: retryLines(log) };
  return withClient(address, chosen, connecting, async client => {
    const description = await client.describe(id);
    return answerOf(await predictOne(client, { id, description }, featuresFor(description), options));
  });
}

function answerOf(predictions: Predictions): object {
  const [error] = predictions.errors.values();
  if (error !== undefined) throw wrong(error.code, error.message);
  switch (predictions.kind) {
    case 'distribution': {
      const { classes, probabilities } = predictions;
      return {
        probabilities: Object.fromEntries(classes.map((name, index) => [name, probabilities[index]])),
      };
    }
    case 'label': {
      const label = predictions.labels[predictions.indices[0] ?? -1];
      if (label === undefined) throw wrong('wrong_prediction', 'there is no label');
      return { label };
    }
    case 'numbers': {
      const { names, values } = predictions;
      if (!values.slice(0, numbersPerRow(names)).every(Number.isFinite))
        throw wrong('wrong_prediction', 'the number is not finite');
      return names.length === 0
        ? { value: values[0] }
        : { values: Object.fromEntries(names.map((name, index) => [name, values[index]])) };
    }
  }
}

const wrong = (code: string, message: string): RowcastError =>
  new RowcastError(code, message, { severity: 'stopped' });
