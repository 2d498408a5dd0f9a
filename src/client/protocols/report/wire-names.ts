/** The member names of `batch-persona` and `persona`, which some deployments rename. */
export interface Wire {
  id: string;
  personas: string;
  features: string;
  predictions: string;
  probabilities: string;
  error: string;
}

export const contractWire: Wire = {
  id: 'id',
  personas: 'personas',
  features: 'features',
  predictions: 'predictions',
  probabilities: 'probabilities',
  error: 'error',
};
