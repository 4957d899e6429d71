// Parts of the constructs beside the public API that a renderer needs which makes components of them: what it may defer, how it
// names and orders the objects, and which operator serves a Service.
export { CLAIM } from '../kinds/address-claim-rules';
export { EGRESS_IPAM_PROPS } from '../kinds/egress-ipam-rules';
export { EGRESS_NAMESPACE_PROPS } from '../kinds/egress-namespace-rules';
export { IP_GROUP_PROPS } from '../kinds/ip-group-rules';
export {
  ADDRESS_PLAN_PROPS,
  IP_ALLOCATION_PROPS,
  IP_PREFIX_PROPS,
  NETWORK_INSTANCE_PROPS,
} from '../kinds/nephio-object-rules';
export { overlapsWithApp } from '../metallb/app-pools';
export { METALLB_POOL } from '../metallb/pool-rules';
export { KEEP } from '../objects/kept-annotations';
export { COMMON_LABELS, NAMES } from '../objects/names';
export { objectsBelow } from '../objects/objects-below';
export { isWebhookConfiguration } from '../objects/webhook-kinds';
export { OPERATOR } from '../operator/operator-rules';
export { operatorOfService } from '../service/operator-of-service';
export { SERVICE } from '../service/service-rules';
export { leftOutProblems } from '../service/unserved';
export { VIP_SERVICE } from '../vip-service/vip-service-rules';
