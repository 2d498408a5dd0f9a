import type { NumbersReport } from '../../base/contract/schemas.ts';
import type { Session } from '../session/sessions.ts';
import type { LoadedReport } from './loaded-reports.ts';
import type { PersonaView } from './persona/persona-view.ts';

/** A report with metrics that predicts classes. */
export type ClassesReport = Exclude<LoadedReport['report'], NumbersReport>;

/** Everything that the page of a report shows. */
export interface ReportView extends LoadedReport {
  session: Session;
  curveClass: number;
  persona: PersonaView;
  /** Where the browser reaches the service, without a trailing slash. */
  origin: string;
}
