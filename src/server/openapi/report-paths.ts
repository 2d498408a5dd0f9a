import { csv, problems, ref, reportParameter, response } from './components.ts';
import { withKey } from './endpoint-problems.ts';

const ofReport = [...withKey, 'bad_report_id', 'no_such_report', 'damaged_report'] as const;

/** Endpoints that read a report. */
export const reportPaths = {
  '/user/report/{id}': {
    get: {
      operationId: 'readReport',
      summary: 'A report: what it predicts, its tech specs, and its drivers with their impact',
      parameters: [reportParameter('path')],
      responses: { 200: response('The report.', 'application/json', ref('Report')), ...problems(ofReport) },
    },
  },
  '/user/testing-results/{id}': {
    get: {
      operationId: 'readTestingResults',
      summary: 'The rows that a report was tested on, with its predictions',
      parameters: [reportParameter('path')],
      responses: {
        200: response(
          'The columns of the testing set, then the actual class, the predicted class and a probability for each class.',
          'text/csv',
          csv,
        ),
        ...problems(ofReport),
      },
    },
  },
};
