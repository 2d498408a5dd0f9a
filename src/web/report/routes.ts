import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { isImported, isOfNumbers, isTested } from '../../base/contract/schemas.ts';
import { readReport, testingResults } from '../../models/store/report-store.ts';
import { deleteReport } from '../../models/store/write-report.ts';
import { authorize } from '../../server/auth/require-key.ts';
import { problemOf } from '../../server/problems/problems.ts';
import { classRows } from '../../training/learn/evaluation.ts';
import type { PlatformContext } from '../context.ts';
import { html } from '../html.ts';
import { addNotice } from '../notice.ts';
import { sendPage } from '../page.ts';
import { requireScope, requireUnbound, sessionOf } from '../session/require-session.ts';
import { type LoadedReport, reportLoader } from './loaded-reports.ts';
import { type PersonaRequest, type PersonaView, viewPersona } from './persona/persona-view.ts';
import { controlText, type PersonaValues } from './persona/read-form.ts';
import { curveFigure } from './persona/response-curve.ts';
import { importedPage, personaCommand, reportPage } from './report-page.ts';
import { predictionText } from './sections/persona-form.ts';

interface Route {
  Params: { id: string };
  Querystring: PersonaValues;
  Body: PersonaValues | undefined;
}
type ReportRequest = FastifyRequest<Route>;

/** The page of a report, and what it requests. */
export const reportRoutes: FastifyPluginAsync<PlatformContext> = async (app, context) => {
  const { home } = context;
  const load = reportLoader(context);

  /** @param values the form; a typical persona if omitted */
  async function show(
    request: ReportRequest,
    reply: FastifyReply,
    values?: PersonaValues,
  ): Promise<FastifyReply> {
    const { id } = request.params;
    requireScope(request, id, 'report');
    const session = sessionOf(request);
    const report = await readReport(home, id);
    if (isImported(report) && !isTested(report)) {
      const origin = originOf(request, context);
      return sendPage(request, reply, importedPage({ report, session, origin }));
    }
    const loaded = await load(id);
    const isAllowed = session.principal.hasScope('predict');
    const wants = { probabilities: isAllowed, curve: isAllowed };
    const persona = await viewPersona(context, { request, reply, loaded, values, wants });
    if (persona.errors.size > 0) reply.code(422);
    const curveClass = classOf(controlText(request.query, 'class'), loaded.report);
    const origin = originOf(request, context);
    return sendPage(request, reply, reportPage({ ...loaded, session, persona, curveClass, origin }));
  }

  app.get<Route>('/predictions/:id', (request, reply) => show(request, reply));
  // Without modules, the browser sends the form for the whole page. It changes nothing, so there is no redirect.
  app.post<Route>('/predictions/:id', (request, reply) => {
    requireScope(request, request.params.id, 'predict');
    return show(request, reply, request.body ?? {});
  });

  const predict = async (request: ReportRequest, reply: FastifyReply, wants: PersonaRequest['wants']) => {
    const { id } = request.params;
    requireScope(request, id, 'predict');
    const loaded = await load(id);
    const values = request.body ?? {};
    return { loaded, persona: await viewPersona(context, { request, reply, loaded, values, wants }) };
  };

  app.post<Route>('/platform/reports/:id/persona', async (request, reply) => {
    const { loaded, persona } = await predict(request, reply, { probabilities: true, curve: false });
    const { id } = loaded.report;
    const { probabilities, remarks, features } = persona;
    if (persona.errors.size > 0) return reply.code(422).send(wrongFields(persona));
    return {
      summary: predictionText(loaded.report, probabilities),
      probabilities: [...(probabilities ?? [])],
      remarks: Object.fromEntries(remarks),
      command: personaCommand(originOf(request, context), features, id),
    };
  });

  app.post<Route>('/platform/reports/:id/curve', async (request, reply) => {
    const { loaded, persona } = await predict(request, reply, { probabilities: false, curve: true });
    const { along, curve } = persona;
    if (persona.errors.size > 0 || along === undefined) return reply.code(422).send(wrongFields(persona));
    const figure = curveFigure(along, curve, loaded.report, controlText(persona.values, along.key));
    return reply.type('text/html; charset=utf-8').send(figure.toString());
  });

  app.get<Route>('/platform/reports/:id/testing-results.csv', async (request, reply) => {
    const { id } = request.params;
    requireScope(request, id, 'testing-results');
    const results = await testingResults(home, id);
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', `attachment; filename="${id}-testing-results.csv"`)
      .send(results);
  });

  app.post<Route>('/platform/reports/:id/delete', async (request, reply) => {
    const { id } = request.params;
    authorize(request, id);
    requireUnbound(request);
    await deleteReport(home, id);
    context.reportSpace.release(id);
    addNotice(sessionOf(request), { kind: 'good', text: html`The report ${id} was deleted.` });
    return reply.redirect('/', 303);
  });
};

const wrongFields = ({ errors }: PersonaView) => ({
  ...problemOf('invalid_value', 'Correct the marked fields.'),
  fields: Object.fromEntries(errors),
});

/** The class of the curves: the given one, otherwise of two the second, and of several the most frequent. */
function classOf(text: string, report: LoadedReport['report']): number {
  if (isOfNumbers(report)) return 0;
  const { classes, quality } = report;
  if (/^\d{1,3}$/.test(text) && Number(text) < classes.length) return Number(text);
  if (classes.length === 2) return 1;
  const rows = classRows(quality.confusion);
  return rows.indexOf(Math.max(...rows));
}

/**
 * Where the browser reaches the service: the host that it asked for, which `checkHosts` has checked on loopback and
 * which elsewhere only the user chose. Behind a proxy both may differ; `copy.js` corrects them.
 */
function originOf({ headers, socket }: FastifyRequest, { isEncrypted }: PlatformContext): string {
  const { host = '' } = headers;
  const isPlain = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i.test(host);
  return `${isEncrypted ? 'https' : 'http'}://${isPlain ? host : `localhost:${socket.localPort}`}`;
}
