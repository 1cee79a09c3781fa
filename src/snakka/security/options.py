"""Options of authorization, TLS, SASL and OAuth; all known, none in use until security is.

Rule: only declarations, in the notation of `snakka.options.option.declare`; code elsewhere gives them effect.
"""

OPTIONS = """
# Authorization and principals
authorizer.class.name string '' low inert
    The class that decides who may do what; empty allows everything.
principal.builder.class class \
    org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder medium per-broker inert
    The class that makes a principal out of a connection.
security.providers string null low inert
    Java classes that provide security algorithms.
connections.max.reauth.ms long 0 medium inert
    A client must log in again after this long; 0 never asks.
delegation.token.secret.key password null medium inert
    The secret with which delegation tokens are made; the same on all nodes, and tokens are off without
    it.
delegation.token.max.lifetime.ms long 604800000 >=1 medium inert
    How long a delegation token can be renewed.
delegation.token.expiry.time.ms long 86400000 >=1 medium inert
    How long a delegation token is valid unless it is renewed.
delegation.token.expiry.check.interval.ms long 3600000 >=1 low inert
    How often expired delegation tokens are removed.

# TLS
ssl.client.auth string none {required,requested,none} medium per-broker inert
    Whether clients must, may or need not show a certificate.
ssl.protocol string TLSv1.3 medium per-broker inert
    The TLS version that is used to make the TLS context.
ssl.provider string null medium per-broker inert
    The Java provider of TLS.
ssl.enabled.protocols list TLSv1.2,TLSv1.3 medium per-broker inert
    The TLS versions that connections may use.
ssl.cipher.suites list '' medium per-broker inert
    The cipher suites that connections may use; all that the TLS library allows if empty.
ssl.keystore.type string JKS medium per-broker inert
    The format of the key store: JKS, PKCS12 or PEM.
ssl.keystore.location string null medium per-broker inert
    The file with the node's key and certificate.
ssl.keystore.password password null medium per-broker inert
    The password of the key store file.
ssl.key.password password null medium per-broker inert
    The password of the private key.
ssl.keystore.key password null medium per-broker inert
    The private key itself, in PEM.
ssl.keystore.certificate.chain password null medium per-broker inert
    The certificate chain itself, in PEM.
ssl.truststore.type string JKS medium per-broker inert
    The format of the trust store: JKS, PKCS12 or PEM.
ssl.truststore.location string null medium per-broker inert
    The file with the certificates that are trusted.
ssl.truststore.password password null medium per-broker inert
    The password of the trust store file.
ssl.truststore.certificates password null medium per-broker inert
    The trusted certificates themselves, in PEM.
ssl.keymanager.algorithm string SunX509 medium per-broker inert
    The Java key manager algorithm.
ssl.trustmanager.algorithm string PKIX medium per-broker inert
    The Java trust manager algorithm.
ssl.endpoint.identification.algorithm string https low per-broker inert
    How the host name of a peer is checked; empty does not check it.
ssl.secure.random.implementation string null low per-broker inert
    The Java source of secure random numbers.
ssl.engine.factory.class class null low per-broker inert
    A Java class that makes TLS engines.
ssl.principal.mapping.rules string DEFAULT low inert
    Rules that turn the name in a client's certificate into a principal.
ssl.allow.dn.changes boolean false low inert
    Whether a new key store may have another distinguished name.
ssl.allow.san.changes boolean false low inert
    Whether a new key store may drop alternative names.

# SASL
sasl.enabled.mechanisms list GSSAPI medium per-broker inert
    The SASL mechanisms that clients may log in with.
sasl.mechanism.inter.broker.protocol string GSSAPI medium per-broker inert
    The SASL mechanism between brokers.
sasl.mechanism.controller.protocol string GSSAPI high inert
    The SASL mechanism towards controllers.
sasl.jaas.config password null medium per-broker inert
    Login module and credentials, in the notation of JAAS; give it by listener and mechanism.
sasl.server.callback.handler.class class null medium inert
    A Java class that checks credentials on the server.
sasl.client.callback.handler.class class null medium inert
    A Java class that provides credentials for outgoing logins.
sasl.login.class class null medium inert
    A Java class that logs in.
sasl.login.callback.handler.class class null medium inert
    A Java class that provides what a login asks for.
sasl.server.max.receive.size int 524288 medium inert
    The largest message of a login.
sasl.kerberos.service.name string null medium per-broker inert
    The Kerberos principal name that brokers run as.
sasl.kerberos.kinit.cmd string /usr/bin/kinit medium per-broker inert
    The path of the kinit command.
sasl.kerberos.principal.to.local.rules list DEFAULT medium per-broker inert
    Rules that turn a Kerberos principal into a short name.
sasl.kerberos.ticket.renew.window.factor double 0.8 medium per-broker inert
    The part of a Kerberos ticket's life after which it is renewed.
sasl.kerberos.ticket.renew.jitter double 0.05 medium per-broker inert
    Random share that is added to the renewal time of a ticket.
sasl.kerberos.min.time.before.relogin long 60000 medium per-broker inert
    The shortest time between two Kerberos logins.
sasl.login.refresh.window.factor double 0.8 medium per-broker inert
    The part of a credential's life after which it is refreshed.
sasl.login.refresh.window.jitter double 0.05 medium per-broker inert
    Random share of a credential's life that is added to the refresh time.
sasl.login.refresh.min.period.seconds short 60 medium per-broker inert
    The shortest time between two refreshes of a credential.
sasl.login.refresh.buffer.seconds short 300 medium per-broker inert
    How long before its end a credential is refreshed at the latest.
sasl.login.connect.timeout.ms int null low inert
    How long to wait for a connection to the identity provider.
sasl.login.read.timeout.ms int null low inert
    How long to wait for an answer of the identity provider.
sasl.login.retry.backoff.ms long 100 low inert
    The first pause before the identity provider is asked again.
sasl.login.retry.backoff.max.ms long 10000 low inert
    The longest pause before the identity provider is asked again.

# OAuth
sasl.oauthbearer.token.endpoint.url string null medium inert
    The address where tokens are had.
sasl.oauthbearer.scope string null medium inert
    The scope that is asked for with a token.
sasl.oauthbearer.client.credentials.client.id string null medium inert
    The client id for the client-credentials grant.
sasl.oauthbearer.client.credentials.client.secret password null medium inert
    The client secret for the client-credentials grant.
sasl.oauthbearer.jwt.retriever.class class \
    org.apache.kafka.common.security.oauthbearer.DefaultJwtRetriever medium inert
    A Java class that fetches tokens.
sasl.oauthbearer.jwt.validator.class class \
    org.apache.kafka.common.security.oauthbearer.DefaultJwtValidator medium inert
    A Java class that checks tokens.
sasl.oauthbearer.assertion.algorithm string RS256 ~{ES256,RS256} medium inert
    The algorithm that signs assertions.
sasl.oauthbearer.assertion.claim.aud string null medium inert
    The audience claim of assertions.
sasl.oauthbearer.assertion.claim.exp.seconds int 300 0..86400 low inert
    How long an assertion is valid.
sasl.oauthbearer.assertion.claim.iss string null medium inert
    The issuer claim of assertions.
sasl.oauthbearer.assertion.claim.jti.include boolean false medium inert
    Whether assertions have a unique id.
sasl.oauthbearer.assertion.claim.nbf.seconds int 60 0..3600 low inert
    How far back an assertion's not-before time is set.
sasl.oauthbearer.assertion.claim.sub string null medium inert
    The subject claim of assertions.
sasl.oauthbearer.assertion.file string null medium inert
    A file with a ready assertion.
sasl.oauthbearer.assertion.private.key.file string null medium inert
    The file of the key that signs assertions.
sasl.oauthbearer.assertion.private.key.passphrase password null medium inert
    The passphrase of the key that signs assertions.
sasl.oauthbearer.assertion.template.file string null medium inert
    A file with headers and claims that assertions start from.
sasl.oauthbearer.scope.claim.name string scope low inert
    The claim that holds a token's scope.
sasl.oauthbearer.sub.claim.name string sub low inert
    The claim that holds a token's subject.
sasl.oauthbearer.jwks.endpoint.url string null medium inert
    The address of the keys that tokens are checked with.
sasl.oauthbearer.jwks.endpoint.refresh.ms long 3600000 low inert
    How often those keys are fetched again.
sasl.oauthbearer.jwks.endpoint.retry.backoff.ms long 100 low inert
    The first pause before the keys are asked for again.
sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms long 10000 low inert
    The longest pause before the keys are asked for again.
sasl.oauthbearer.clock.skew.seconds int 30 low inert
    How far the clocks of token maker and broker may differ.
sasl.oauthbearer.expected.audience list '' low inert
    The audiences that are accepted in a token; any if empty.
sasl.oauthbearer.expected.issuer string null low inert
    The issuer that a token must have.
"""
