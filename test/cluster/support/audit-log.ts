import { readFileSync } from 'node:fs';
import type { ControlPlane } from './control-plane';
import { eventually } from './eventually';

let marks = 0;

/**
 * Waits until the audit log has what the API server has answered before the call: it puts a request on record after its answer, so
 * that a test may have seen the answer before the line.
 */
export async function auditCaughtUp({ client, auditFile }: ControlPlane): Promise<void> {
  const mark = `mark-${String(++marks)}`;
  await client.request('GET', `/api/v1/namespaces/default/configmaps?labelSelector=${mark}%3Dseen`);
  await eventually(() => readFileSync(auditFile, 'utf8').includes(`labelSelector=${mark}%3Dseen`));
}
