import type { ProtocolName } from '../../base/contract/protocol-names.ts';
import { azureml } from './described/azureml.ts';
import { customDescription } from './described/custom-protocol.ts';
import type { CustomProtocol } from './described/custom-shape.ts';
import { datarobot } from './described/datarobot.ts';
import { describedProtocol } from './described/described-protocol.ts';
import { kserveV1 } from './described/kserve-v1.ts';
import { mlflow } from './described/mlflow.ts';
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

/** All protocols, by name: a row for each. */
export const protocols = {
  report: ({ wire }) => reportProtocol(wire),
  mlflow: () => describedProtocol(mlflow),
  azureml: () => describedProtocol(azureml),
  'kserve-v1': () => describedProtocol(kserveV1),
  'open-inference': () => openInference,
  datarobot: () => describedProtocol(datarobot),
  custom({ custom }) {
    if (custom === undefined) throw new TypeError('the protocol custom has no description');
    return describedProtocol(customDescription(custom));
  },
} as const satisfies Record<ProtocolName, (options: ProtocolOptions) => Protocol>;
