import type { FastifyInstance } from 'fastify';
import { ADMIN_PATHS } from '../../contract/ipam-api/admin-paths';
import { refusalOf } from '../../errors/ipam-error';
import type { Outcome } from '../../errors/outcome';
import { sendProblem } from '../../contract/ipam-api/v3/problem';

/** Actions of administrators of the operator's own cluster; each is absent where it cannot be done. */
export interface AdminActions {
  /** Takes a contested address away from a Service. */
  readonly evict?: (request: {
    readonly namespace: string;
    readonly name: string;
    readonly dryRun: boolean;
  }) => Promise<Outcome<{ readonly addresses: readonly string[] }>>;
  /** Gives the claims of a cluster to another identity. */
  readonly renameCluster?: (request: {
    readonly from: string;
    readonly to: string;
    readonly dryRun: boolean;
  }) => Promise<Outcome<{ readonly claims: number }>>;
  /** Takes the claims over from another cluster of the same identity that is gone. */
  readonly forgetCluster?: (request: { readonly uid: string; readonly dryRun: boolean }) => Promise<Outcome<void>>;
}

interface DryRun {
  readonly dryRun?: string;
}

/**
 * Serves what changes the operator's own cluster, for `ipam evict`, `ipam rename-cluster` and
 * `ipam cluster forget`.
 *
 * @param app - server of the admin socket
 * @param actions - those that can be done
 */
export function addActions(app: FastifyInstance, { evict, renameCluster, forgetCluster }: AdminActions): void {
  if (evict !== undefined) addEviction(app, evict);
  if (renameCluster !== undefined) addRename(app, renameCluster);
  if (forgetCluster !== undefined) addForgetting(app, forgetCluster);
}

function addForgetting(app: FastifyInstance, forget: NonNullable<AdminActions['forgetCluster']>): void {
  app.post<{ Params: { readonly uid: string }; Querystring: DryRun }>(
    `${ADMIN_PATHS.forgottenClusters}/:uid`,
    async ({ params, query }, reply) => {
      const done = await settled(() => forget({ ...params, dryRun: query.dryRun !== 'false' }));
      return done.ok ? reply.send({}) : sendProblem(reply, done.refusal);
    },
  );
}

function addRename(app: FastifyInstance, rename: NonNullable<AdminActions['renameCluster']>): void {
  app.post<{ Params: { readonly from: string; readonly to: string }; Querystring: DryRun }>(
    `${ADMIN_PATHS.renamedClusters}/:from/:to`,
    async ({ params, query }, reply) => {
      const done = await settled(() => rename({ ...params, dryRun: query.dryRun !== 'false' }));
      return done.ok ? reply.send(done.value) : sendProblem(reply, done.refusal);
    },
  );
}

function addEviction(app: FastifyInstance, evict: NonNullable<AdminActions['evict']>): void {
  app.post<{ Params: { readonly namespace: string; readonly name: string }; Querystring: DryRun }>(
    `${ADMIN_PATHS.evictions}/:namespace/:name`,
    async ({ params, query }, reply) => {
      const done = await settled(() => evict({ ...params, dryRun: query.dryRun !== 'false' }));
      return done.ok ? reply.send(done.value) : sendProblem(reply, done.refusal);
    },
  );
}

async function settled<T>(act: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  try {
    return await act();
  } catch (thrown) {
    return { ok: false, refusal: refusalOf(thrown) };
  }
}
