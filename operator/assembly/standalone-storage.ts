import type { MemoryCluster } from '../backends/memory/memory-cluster';
import type { AdmissionRequest } from '../contract/admission-review';
import { IPAM } from '../contract/group';
import { LOAD_BALANCER, readService, type ServiceView } from '../contract/service';
import { isIpamError } from '../errors/ipam-error';
import { changedTerms } from '../front-doors/services/index';
import type { Bindings, Claimant, Releases, Reservations } from '../ports/address-book';
import type { Tools } from '../ports/tools';
import { namedAddresses } from '../rules/wishes';

/** Parts of {@link storeAdmitted}. */
export interface StandaloneParts extends Pick<Tools, 'logger'> {
  readonly cluster: MemoryCluster;
  readonly book: Reservations & Bindings & Releases;
}

/**
 * Stands in for storage and controller where there is no cluster: a review that the validating webhook allowed counts as stored,
 * so its reservations are bound at once and addresses that it no longer names are released.
 *
 * @param parts - cluster, book and logger
 * @param request - an allowed review that is no dry run
 */
export async function storeAdmitted(parts: StandaloneParts, request: AdmissionRequest): Promise<void> {
  try {
    const gone = request.operation === 'DELETE';
    const service = readService(gone ? request.oldObject : request.object);
    if (service === undefined) return;
    const name = service.name === '' ? request.name : service.name;
    const { namespace } = request;
    // The API server gives the UID; a caller that gives none has one Service per name.
    const uid = service.uid === '' ? `standalone:${namespace}/${name}` : service.uid;
    if (gone || service.type !== LOAD_BALANCER) await forget(parts, { namespace, name, uid });
    else await remember(parts, { service, before: readService(request.oldObject) }, { namespace, name, uid });
  } catch (thrown) {
    // The answer is on its way already; the lease keeps the address until the next review of this Service.
    parts.logger.error('stored service not bound', {
      namespace: request.namespace,
      name: request.name,
      code: isIpamError(thrown) ? thrown.code : 'internal',
    });
  }
}

interface StoredName {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

async function forget({ cluster, book }: StandaloneParts, { namespace, name, uid }: StoredName): Promise<void> {
  cluster.deleteService(namespace, name);
  await book.releaseByUid({ serviceUid: uid });
}

async function remember(
  parts: StandaloneParts,
  { service, before }: { readonly service: ServiceView; readonly before: ServiceView | undefined },
  stored: StoredName,
): Promise<void> {
  const { cluster, book } = parts;
  const { namespace, name, uid } = stored;
  cluster.putService({ namespace, name, uid, annotations: service.annotations, type: service.type });
  const found = await cluster.namespace(namespace);
  if (found === undefined) return;
  const reservation = service.annotations[IPAM.reservation];
  const claimant: Claimant & { serviceUid: string } = {
    service: { serviceName: name, namespaceUid: found.uid, clusterUid: await cluster.clusterUid() },
    namespace,
    serviceUid: uid,
    ...(reservation === undefined ? {} : { reservation }),
  };
  const keep = namedAddresses(service).flatMap((source) => source.addresses);
  const changed = before === undefined ? undefined : await changedTerms(cluster, service, before);
  for (const grant of await book.holdings(claimant)) {
    if (!keep.some((address) => address.equals(grant.address))) continue;
    const terms = changed === undefined ? {} : { terms: { ...changed, writtenKeys: grant.writtenKeys } };
    await book.bind({ claimant, grant, ...terms });
  }
  await book.releaseByUid({ serviceUid: uid, keep });
}
