import type { FastifyInstance } from 'fastify';

import type { ServicesDoorParts } from './wanted/door-parts';
import { brieflyRemembered } from './controller/brief-reads';
import { Crowds } from './wanted/namespace-rate';
import { addWebhookRoutes } from './admission/webhook';

export { createServicesController, type ServicesController } from './controller/controller';
export { evictService } from './controller/evict';
export { bindLateOnes } from './controller/late-bindings';
export { compareAtStart, servicesWork } from './controller/services-work';
export { leftAloneServices } from './controller/left-alone';
export { bearsOurKeys, readStored } from './controller/stored-object';
export { compareZonePools } from './pools/compare-zone-pools';
export { PoolView } from './pools/pool-view';
export { createZonePools } from './pools/zone-pools';
export type { ServicesDoorParts, ServicesDoorSettings } from './wanted/door-parts';
export { changedTerms } from './wanted/stored-terms';

/**
 * Opens the Services door on a server: `POST /mutate--v1-service` and `POST /validate--v1-service`.
 *
 * @param app - the server; it owns TLS, keep-alive and shutdown
 * @param parts - ports and settings of the door
 */
export function registerServicesDoor(app: FastifyInstance, parts: ServicesDoorParts): void {
  const cluster = brieflyRemembered(parts.cluster, parts.clock);
  const stop = parts.namespaces?.onRelabelled(({ name }) => {
    cluster.forgetNamespace(name);
  });
  app.register((scope, _options, done) => {
    scope.addHook('onClose', (_closed, closed) => {
      stop?.();
      closed();
    });
    addWebhookRoutes(scope, { ...parts, cluster, crowds: new Crowds() });
    done();
  });
}
