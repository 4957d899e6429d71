import Fastify from 'fastify';
import { listOf, mapOf, textOf, type JsonMap } from '../../operator/contract/loose-json';
import { registerEgressPages } from '../../operator/front-doors/egress';
import type { EgressPagesParts } from '../../operator/front-doors/egress/admin/egress-pages-parts';
import type { EgressWorld } from './egress-world';

/** Events and dataplanes that pages tell of. */
export type BesidePages = Partial<Pick<EgressPagesParts, 'recordedEvents' | 'dataplanes'>>;

/** Asks the newest process of the door for a page, as the command line does. */
export async function egressPage(world: EgressWorld, path: string, beside: BesidePages = {}): Promise<JsonMap> {
  if (world.latest === undefined) throw new RangeError('no process of the door was started');
  const app = Fastify();
  const recordedEvents = { recorded: () => Promise.resolve([]) };
  registerEgressPages(app, { ...world.latest, recordedEvents, ...beside });
  const answer = await app.inject(`/egress${path}`);
  await app.close();
  return mapOf(answer.json());
}

/** Sentences of a page, its times as TIME. */
export async function egressSentences(
  world: EgressWorld,
  path: string,
  beside?: BesidePages,
): Promise<readonly string[]> {
  const { sentences } = await egressPage(world, path, beside);
  return listOf(sentences).map((each) => textOf(each).replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/u, 'TIME'));
}
