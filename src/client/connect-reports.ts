import type { ClientOptions } from './client-options.ts';
import { type ReportProtocol, reportProtocol } from './protocols/report/report-protocol.ts';
import type { Wire } from './protocols/report/wire-names.ts';
import { ServiceClient } from './service-client.ts';

/**
 * A client of a service that has the prediction report API.
 *
 * @param wire the names of members in this deployment
 */
export const connectReports = (
  options: Omit<ClientOptions, 'protocol'>,
  wire?: Wire,
): ServiceClient<ReportProtocol> => new ServiceClient({ ...options, protocol: reportProtocol(wire) });
