import { testServer } from '../support/test-server.ts';

const SERVER = 'google.cloud.aiplatform.prediction';
const predictPath = '/v1/models/churn:predict';

testServer({
  name: 'vertex-ai',
  start: ({ source, port }) => ({
    program: 'uvicorn',
    args: [
      `${SERVER}.model_server:CprModelServer`,
      ...'--factory --host 127.0.0.1 --port'.split(' '),
      String(port),
    ],
    env: {
      PYTHONPATH: source,
      HANDLER_MODULE: `${SERVER}.handler`,
      HANDLER_CLASS: 'PredictionHandler',
      PREDICTOR_MODULE: 'churn_predictor',
      PREDICTOR_CLASS: 'Churn',
      AIP_HTTP_PORT: String(port),
      AIP_HEALTH_ROUTE: '/v1/models/churn',
      AIP_PREDICT_ROUTE: predictPath,
      AIP_STORAGE_URI: '',
    },
  }),
  readyPath: '/v1/models/churn',
  service: { protocol: 'kserve-v1' },
  score: { report: 'churn' },
});
