import type { ControlPlane } from './control-plane';
import { deleteKept } from './delete-kept';

const WITHIN_A_MINUTE = 60_000;

/** Deletes a namespace, also the one of the operator, which is kept until its mark is taken off as docs/operations.md has it. */
export async function endNamespace({ client }: Pick<ControlPlane, 'client'>, name: string): Promise<void> {
  const path = `/api/v1/namespaces/${name}`;
  await deleteKept(client, path);
  await client.watchUntilEmpty(path, WITHIN_A_MINUTE);
}
