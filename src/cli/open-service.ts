import { protocolOption } from '../base/options/service.ts';
import { resolveValues } from '../base/options/values/resolve-options.ts';
import type { JobValues } from '../base/options/values/run-values.ts';
import type { ReportClient } from '../client/protocols/report/report-client.ts';
import { chooseService, onlyReports } from '../library/service/choose-service.ts';
import { openClient, type ScorerOptions, thenClosed } from '../library/service/open-predictor.ts';
import type { UploadService } from '../runs/transfer-file.ts';
import { warnOfHome } from './check-surroundings.ts';
import type { Context } from './context.ts';
import { retryLines } from './retry-lines.ts';

/** What commands ask a prediction service for, hosted or local. */
export type OpenedService = UploadService &
  Pick<ReportClient, 'name' | 'report' | 'persona' | 'testingResults'>;

/**
 * Opens the service that flags and definition choose, for a command that makes single requests of the prediction report
 * API.
 *
 * @throws RowcastError `usage` if they choose another protocol
 */
export async function withServiceOf<T>(
  context: Context,
  { command, timeout }: { command: string; timeout: number },
  use: (service: OpenedService) => Promise<T>,
): Promise<T> {
  const { flags, env, log, defined } = context;
  onlyReports(resolveValues(protocolOption, flags, defined).protocol, `rowcast ${command}`);
  const address = chooseService(context);
  if (address.kind === 'remote') {
    const { ReportClient } = await import('../client/protocols/report/report-client.ts');
    const { reportProtocol } = await import('../client/protocols/report/report-protocol.ts');
    const options = { timeout, env, onRetry: retryLines(log) };
    const opening = openClient(address, reportProtocol(), options);
    return thenClosed(opening, client => use(new ReportClient(client)));
  }
  await warnOfHome(context, address.home);
  // Loaded only when it is needed.
  const { openLocalService } = await import('../models/local/local-service.ts');
  return thenClosed(openLocalService(address.home), use);
}

/** What opens the scorer that a command chooses, whose requests it reports. @throws as `chooseService` */
export function scorerOptionsOf(context: Context, values: JobValues, stop: AbortSignal): ScorerOptions {
  const { env, log, telemetry } = context;
  const logRetry = retryLines(log, values.maxOutage);
  const onRetry: ScorerOptions['onRetry'] = (failure, wait) => {
    telemetry?.retried(failure, wait);
    logRetry(failure, wait);
  };
  return { values, address: chooseService(context), env, stop, onRetry, trace: telemetry?.traceRequest };
}
