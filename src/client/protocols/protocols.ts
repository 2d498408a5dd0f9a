import type { ProtocolName } from '../../base/contract/protocol-names.ts';
import { type CustomProtocol, customDescription } from './described/custom-shape.ts';
import { describedProtocol } from './described/described-protocol.ts';
import { descriptions } from './described/descriptions.ts';
import { onSageMaker } from './model-server-problem.ts';
import { openInference } from './open-inference/open-inference.ts';
import type { Protocol } from './protocol.ts';
import { reportProtocol } from './report/report-protocol.ts';
import type { Wire } from './report/wire-names.ts';

/** What a deployment may change about its protocol. */
export interface ProtocolOptions {
  /** Other names of members, for the protocol `report`. */
  wire?: Wire | undefined;
  /** The description, for the protocol `custom`. */
  custom?: CustomProtocol | undefined;
}

/** The protocol of this name. Those that are not named here are described by data. */
export function protocolOf(name: ProtocolName, { wire, custom }: ProtocolOptions = {}): Protocol {
  switch (name) {
    case 'report':
      return reportProtocol(wire);
    case 'open-inference':
      return openInference;
    case 'custom':
      if (custom === undefined) throw new TypeError('the protocol custom has no description');
      return describedProtocol(customDescription(custom));
    case 'sagemaker':
    case 'sagemaker-jsonlines':
      return onSageMaker(describedProtocol(descriptions[name]));
    default:
      return describedProtocol(descriptions[name]);
  }
}
