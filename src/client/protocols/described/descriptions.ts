import type { ProtocolName } from '../../../base/contract/protocol-names.ts';
import { azureml } from './azureml.ts';
import { datarobot } from './datarobot.ts';
import type { ProtocolDescription } from './description.ts';
import { kserveV1 } from './kserve-v1.ts';
import { mlflow } from './mlflow.ts';
import { sagemaker, sagemakerJsonLines } from './sagemaker.ts';

/** The protocols that are described by data alone, by name: a row for each. */
export const descriptions = {
  mlflow,
  azureml,
  'kserve-v1': kserveV1,
  datarobot,
  sagemaker,
  'sagemaker-jsonlines': sagemakerJsonLines,
} as const satisfies Partial<Record<ProtocolName, ProtocolDescription>>;
