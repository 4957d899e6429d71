import type { Cloud, CloudMachine, CloudNode } from '../../../operator/ports/cloud';

/** Reads the machine of one node, which the cloud has. */
export async function onlyMachine(cloud: Pick<Cloud, 'machines'>, node: CloudNode): Promise<CloudMachine> {
  const [machine] = await cloud.machines([node]);
  if (machine === undefined) throw new RangeError(`the cloud has no machine of Node "${node.name}"`);
  return machine;
}
