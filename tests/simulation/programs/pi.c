/* A digital PI controller as an FMI 2.0 co-simulation unit, written by hand: u = kp e + Σ ki h e. */
#include <stdlib.h>
#include <string.h>

typedef struct { double y, r, u, sum, kp, ki; } Controller;
enum { Y, R, U, KP, KI };

const char *fmi2GetVersion(void) { return "2.0"; }
const char *fmi2GetTypesPlatform(void) { return "default"; }

void *fmi2Instantiate(const char *name, int type, const char *guid, const char *place, const void *f, int v, int log) {
    Controller *c = calloc(1, sizeof *c);
    c->kp = 1;
    return c;
}
void fmi2FreeInstance(void *c) { free(c); }
int fmi2SetupExperiment(void *c, int d, double tol, double t0, int s, double t1) { return 0; }
int fmi2EnterInitializationMode(void *c) { return 0; }
int fmi2ExitInitializationMode(void *p) { Controller *c = p; c->u = c->kp * (c->r - c->y); return 0; }
int fmi2Terminate(void *c) { return 0; }
int fmi2Reset(void *p) { memset(p, 0, sizeof(Controller)); return 0; }

static double *place(Controller *c, unsigned r) {
    return r == Y ? &c->y : r == R ? &c->r : r == U ? &c->u : r == KP ? &c->kp : &c->ki;
}
int fmi2GetReal(void *c, const unsigned *r, size_t n, double *v) {
    for (size_t i = 0; i < n; i++) v[i] = *place(c, r[i]);
    return 0;
}
int fmi2SetReal(void *c, const unsigned *r, size_t n, const double *v) {
    for (size_t i = 0; i < n; i++) *place(c, r[i]) = v[i];
    return 0;
}
int fmi2DoStep(void *p, double t, double h, int none) {
    Controller *c = p;
    double e = c->r - c->y;
    if (c->r > 1e6) return 3;
    c->sum += c->ki * h * e;
    c->u = c->kp * e + c->sum;
    return 0;
}

#define NOT_THERE(name) int name(void) { return 3; }
NOT_THERE(fmi2SetDebugLogging) NOT_THERE(fmi2GetInteger) NOT_THERE(fmi2GetBoolean) NOT_THERE(fmi2GetString)
NOT_THERE(fmi2SetInteger) NOT_THERE(fmi2SetBoolean) NOT_THERE(fmi2SetString) NOT_THERE(fmi2GetFMUstate)
NOT_THERE(fmi2SetFMUstate) NOT_THERE(fmi2FreeFMUstate) NOT_THERE(fmi2SerializedFMUstateSize)
NOT_THERE(fmi2SerializeFMUstate) NOT_THERE(fmi2DeSerializeFMUstate) NOT_THERE(fmi2GetDirectionalDerivative)
NOT_THERE(fmi2SetRealInputDerivatives) NOT_THERE(fmi2GetRealOutputDerivatives) NOT_THERE(fmi2CancelStep)
NOT_THERE(fmi2GetStatus) NOT_THERE(fmi2GetRealStatus) NOT_THERE(fmi2GetIntegerStatus)
NOT_THERE(fmi2GetBooleanStatus) NOT_THERE(fmi2GetStringStatus)
