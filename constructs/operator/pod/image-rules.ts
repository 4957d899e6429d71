import { distinct, list, props } from '../../props-kit/containers';
import { DIGEST, DNS_NAME, REGISTRY, REPOSITORY, TAG } from '../../props-kit/kubernetes-values';
import { word } from '../../props-kit/values';
import type { OperatorImage } from './image';

/** Where the image comes from. */
export const IMAGE = props<OperatorImage>({
  registry: REGISTRY,
  repository: REPOSITORY,
  tag: TAG,
  digest: DIGEST,
  pullPolicy: word('Always', 'IfNotPresent', 'Never'),
  pullSecrets: distinct(list(DNS_NAME)),
});
